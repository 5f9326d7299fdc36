/** Into the clipboard. Pages that come over plain HTTP from another machine have no clipboard of their own: they copy a selection. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement('textarea');
    field.value = text;
    field.style.position = 'fixed';
    field.style.opacity = '0';
    document.body.append(field);
    field.select();
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- there is no other way without a secure context
    const copied = document.execCommand('copy');
    field.remove();
    return copied;
  }
}
