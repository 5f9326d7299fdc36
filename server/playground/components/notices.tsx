import { announcement, notice } from '../state/notices.js';

/** Both regions are always there: a region that appears together with its text is often not read out. */
export function Notices() {
  return (
    <>
      <div class="visually-hidden" role="status" aria-label="Answer">
        {announcement.value}
      </div>
      <div class="notice" role="status" aria-label="Done" data-shown={notice.value !== ''}>
        {notice.value}
      </div>
    </>
  );
}
