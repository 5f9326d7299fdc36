/** What happened, for ears (announce) and for eyes and ears (notify). */
import { signal } from '@preact/signals';

export const announcement = signal('');
export const notice = signal('');

const shownMilliseconds = 8000;
let timer: ReturnType<typeof setTimeout> | undefined;

export function announce(text: string): void {
  announcement.value = text;
}

export function notify(text: string): void {
  notice.value = text;
  clearTimeout(timer);
  timer = setTimeout(() => {
    notice.value = '';
  }, shownMilliseconds);
}
