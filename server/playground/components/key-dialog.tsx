import { useState } from 'preact/hooks';
import { keyRequest, type KeyRequest } from '../state/api.js';
import { Dialog } from './dialog.js';

export function KeyDialog() {
  const request = keyRequest.value;
  return request && <OpenKeyDialog request={request} />;
}

function OpenKeyDialog({ request }: { readonly request: KeyRequest }) {
  const [key, setKey] = useState('');
  return (
    <Dialog
      label="Key"
      class="dialog-small"
      close={() => {
        request.answer(null);
      }}
    >
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (key.trim() !== '') request.answer(key.trim());
        }}
      >
        <h2>{request.refused ? 'This key was rejected' : 'The server asks for a key'}</h2>
        <p>
          {request.refused
            ? request.detail
            : 'Whoever runs the server has one: the link that "unseen demo" prints contains it, and "unseen classes key" prints that of a server on this machine. It stays in this page only, until you close or reload the page.'}
        </p>
        <label class="field">
          Key
          <input
            type="password"
            autocomplete="off"
            value={key}
            onInput={({ currentTarget }) => {
              setKey(currentTarget.value);
            }}
          />
        </label>
        <div class="dialog-actions">
          <button
            type="button"
            class="button"
            onClick={() => {
              request.answer(null);
            }}
          >
            Cancel
          </button>
          <button type="submit" class="button button-main" disabled={key.trim() === ''}>
            Continue
          </button>
        </div>
      </form>
    </Dialog>
  );
}
