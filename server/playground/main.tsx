import { render } from 'preact';
import { App } from './components/app.js';
import { keepDraft } from './state/keep-draft.js';
import { followServer } from './state/server.js';
import 'unseen:look.css'; // first: the others use its colours
import './styles/index.css';

render(<App />, document.getElementById('page')!);
followServer();
keepDraft();
