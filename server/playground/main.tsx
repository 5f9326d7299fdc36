import { render } from 'preact';
import { App } from './components/app.js';
import { followServer } from './state/server.js';
import './styles/index.css';

render(<App />, document.getElementById('page')!);
followServer();
