/** All that moves in the report: tables that sort and filter. Without it they are whole, and in their first order. */
export const script = `
for (const box of document.querySelectorAll('.table')) {
  const body = box.querySelector('tbody');
  const heads = [...box.querySelectorAll('th')];
  heads.forEach((head, column) => {
    head.querySelector('button')?.addEventListener('click', () => {
      const up = head.getAttribute('aria-sort') !== 'ascending';
      for (const other of heads) if (other.hasAttribute('aria-sort')) other.setAttribute('aria-sort', 'none');
      head.setAttribute('aria-sort', up ? 'ascending' : 'descending');
      const value = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent.trim();
      const number = head.classList.contains('number');
      const compare = (a, b) => (number ? value(a) - value(b) : value(a).localeCompare(value(b)));
      const rows = [...body.rows].sort((a, b) => (up ? compare(a, b) : compare(b, a)));
      body.append(...rows);
    });
  });
  const input = box.querySelector('input');
  const count = box.querySelector('.count');
  const filter = () => {
    const wanted = input.value.trim().toLowerCase();
    let shown = 0;
    for (const row of body.rows) {
      row.hidden = !row.textContent.toLowerCase().includes(wanted);
      if (!row.hidden) shown += 1;
    }
    count.textContent = shown + ' of ' + body.rows.length + ' shown';
  };
  if (input) {
    input.addEventListener('input', filter);
    filter();
  }
}
`;
