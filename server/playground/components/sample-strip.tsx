import { useEffect, useState } from 'preact/hooks';
import { model, modelProblem } from '../state/model.js';
import { notify } from '../state/notices.js';
import { chosen } from '../state/picture.js';
import { greetWithSample, loadSample, samples, type Sample } from '../state/samples.js';

export function SampleStrip() {
  const isDemonstration = samples.value.length > 0;
  useEffect(() => {
    if (isDemonstration) greetWithSample();
  }, [isDemonstration]);
  if (!model.value && !modelProblem.value) return <div class="samples samples-waiting" />; // reserves the space, so that the layout does not shift
  if (samples.value.length === 0) return null;
  return (
    <div class="samples">
      <p id="samples-title">Or try a signal flag. The model knows most of them by description only:</p>
      <ul aria-labelledby="samples-title">
        {samples.value.map((sample) => (
          <li key={sample.name}>
            <SampleButton sample={sample} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function SampleButton({ sample }: { readonly sample: Sample }) {
  const { name, address } = sample;
  const [isLoading, setLoading] = useState(false);
  const load = async (): Promise<void> => {
    setLoading(true);
    try {
      await loadSample(sample);
    } catch (error) {
      notify(`${name} could not be loaded: ${(error as Error).message}.`);
    } finally {
      setLoading(false);
    }
  };
  return (
    <button
      type="button"
      class="sample"
      title={name}
      aria-pressed={chosen.value?.name === name}
      aria-busy={isLoading}
      onClick={() => void load()}
    >
      <img src={address} alt={name} width="320" height="240" loading="lazy" decoding="async" />
    </button>
  );
}
