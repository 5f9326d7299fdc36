import { html, type Markup } from './html.js';
import { rowsOnPaper } from './style.js';

interface Column<Row> {
  readonly title: string;
  readonly show: (row: Row) => string | number | Markup;
  /** What to sort by; without it, what is shown. A column of numbers is set to the right. */
  readonly value?: (row: Row) => number | string;
  readonly isNumber?: boolean;
}

interface TableOptions {
  readonly caption: string;
  /** A field above the table that leaves the rows with the text typed. */
  readonly filter?: string;
  readonly sortable?: boolean;
}

export function table<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { caption, filter, sortable = false }: TableOptions,
): Markup {
  const align = (column: Column<Row>): string => (column.isNumber ? 'number' : 'text');
  const head = (column: Column<Row>): Markup =>
    sortable
      ? html`<th scope="col" class="${align(column)}" aria-sort="none">
          <button type="button">${column.title}</button>
        </th>`
      : html`<th scope="col" class="${align(column)}">${column.title}</th>`;
  const cell = (column: Column<Row>, row: Row): Markup =>
    column.value
      ? html`<td class="${align(column)}" data-value="${column.value(row)}">${column.show(row)}</td>`
      : html`<td class="${align(column)}">${column.show(row)}</td>`;
  const isLong = rows.length > rowsOnPaper;
  return html`<div class="table${isLong && ' long'}">
    ${filter !== undefined && html`<label class="filter">${filter} <input type="search" /></label>`}
    <div class="scroll" tabindex="0" role="region" aria-label="${caption}">
      <table>
        <caption>
          ${caption}
        </caption>
        <thead>
          <tr>
            ${columns.map(head)}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            (row) =>
              html`<tr>
                ${columns.map((column) => cell(column, row))}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    ${filter !== undefined && html`<p class="count" role="status"></p>`}
    ${isLong && html`<p class="on-paper quiet">The first ${rowsOnPaper} of ${rows.length} rows; the rest is in the file.</p>`}
  </div>`;
}
