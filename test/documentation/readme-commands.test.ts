/** Runs every command that README.md shows. */
import { vi } from 'vitest';
import { projectFolder } from '../../core/project-folder.js';
import { readDocumentation } from '../support/documentation/markdown.js';
import { hasBackbone, runDocuments } from '../support/documentation/run.js';

vi.setConfig({ testTimeout: 600_000 }); // a busy machine takes its time
const documents = readDocumentation(projectFolder()).filter(({ path }) => path === 'README.md');
runDocuments(documents, await hasBackbone());
