import { AnswerPanel } from './answer-panel.js';
import { ClassEditor } from './class-editor.js';
import { ClassesPanel } from './classes-panel.js';
import { GalleryPanel } from './gallery-panel.js';
import { KeyDialog } from './key-dialog.js';
import { LearningPanel } from './learning-panel.js';
import { Notices } from './notices.js';
import { PicturePanel } from './picture-panel.js';
import { RemoveDialog } from './remove-dialog.js';
import { ServerPanel } from './server-panel.js';
import { Trouble } from './trouble.js';

export function App() {
  return (
    <>
      <Trouble />
      <main>
        <div class="stage">
          <PicturePanel />
          <AnswerPanel />
        </div>
        <GalleryPanel />
        <ClassesPanel />
        <LearningPanel />
      </main>
      <ServerPanel />
      <ClassEditor />
      <RemoveDialog />
      <KeyDialog />
      <Notices />
    </>
  );
}
