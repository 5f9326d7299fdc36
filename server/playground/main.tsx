import { render } from 'preact';
import { App } from './components/app.js';
import { Links, ModelName } from './components/masthead.js';
import { keepDraft } from './state/keep-draft.js';
import { followServer } from './state/server.js';
import 'unseen:look.css'; // first: the others use its colours
import './styles/index.css';

render(<ModelName />, document.getElementById('model-name')!);
render(<Links />, document.getElementById('links')!);
render(<App />, document.getElementById('app')!);
followServer();
keepDraft();
