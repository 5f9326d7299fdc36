/**
 * Every setting of training, stated once: the type, the defaults, the checks and the help all follow from it.
 * A description says what happens when the value is too low and too high.
 */
import { z } from 'zod';
import { attributeEncodingKinds, featureMapKinds, headPriors } from '../core/bundle/manifest.js';
import { usualFewRows } from './datasets/few-shot.js';
import { supervisedForms } from './transport/supervised.js';

const positive = z.number().positive();
const fraction = z.number().min(0).max(1);

const transportSchema = z
  .strictObject({
    solver: z
      .enum(['ipot', 'sinkhorn'])
      .default('ipot')
      .describe("How a transport step finds its plan; Sinkhorn is the paper's comparison."),
    lambda: positive
      .default(0.5)
      .describe(
        "IPOT's proximal weight. Low: the plan sharpens in fewer iterations; below about 0.1 it is computed on logarithms, which is slower. High: it stays smooth.",
      ),
    iterations: z
      .int()
      .min(1)
      .max(1000)
      .default(50)
      .describe(
        'Solver iterations, the real regulariser. Low: a blurred plan. High: a sharp plan, and slower steps.',
      ),
    innerIterations: z
      .int()
      .min(1)
      .max(100)
      .default(1)
      .describe('Sinkhorn rounds inside one IPOT iteration. Low: column sums are met loosely. High: slower.'),
    epsilon: positive
      .default(0.05)
      .describe(
        "Sinkhorn's entropy weight. Low: needs more iterations to meet the marginals. High: a blurred plan.",
      ),
  })
  .prefault({});

const featuresSchema = z
  .strictObject({
    kind: z
      .enum(featureMapKinds)
      .default('whitened')
      .describe('How CNN features are prepared: whitened within classes, or scaled to 0..1 as in the paper.'),
    power: positive
      .max(1)
      .default(0.5)
      .describe(
        'Exponent on the CNN features. Low: small values count as much as large ones. 1: heavy tails rule.',
      ),
    shrinkage: z
      .number()
      .min(0)
      .default(3)
      .describe(
        'Added to the within-class covariance, in units of its mean eigenvalue; with fewer training rows than features, more by the root of their ratio. Low: noise is blown up. High: nothing is whitened.',
      ),
  })
  .prefault({});

const generatorSchema = z
  .strictObject({
    hidden: z
      .int()
      .min(1)
      .max(16384)
      .default(512)
      .describe(
        'Units in the hidden layer of the generator. Low: class means are missed. High: slower, and it may memorise the seen classes.',
      ),
    predictorHidden: z
      .int()
      .min(1)
      .max(16384)
      .default(512)
      .describe('Units in the hidden layer of the attribute predictor.'),
    closedForm: z
      .enum(['none', 'fitted', 'held-out'])
      .default('held-out')
      .describe(
        "What the generator adds to: nothing, as in the paper; kernel ridge from attributes to class means; or the same with each training row's own class left out, so that the network learns to correct what unseen classes will need, too.",
      ),
    attributeWeights: z
      .enum(['reliability', 'equal'])
      .optional()
      .describe(
        'How attributes count in the closed form: by how well features of other classes predict them, or all alike; left out, whichever has the smaller error for seen classes left out. Alike, attributes that pictures do not show blur what a class is near. By reliability, chance decides where each attribute is a mixture of everything, as in embeddings of texts.',
      ),
    share: fraction
      .default(1)
      .describe(
        'How much of what the generator learnt is added to the closed form; validation.shares has the values among which validation classes choose. 0: the closed form alone.',
      ),
    members: z
      .int()
      .min(1)
      .max(16)
      .default(1)
      .describe(
        'Generators trained from different seeds and merged into one. Low: what one seed made up stays. High: slower.',
      ),
    noiseWidth: z
      .int()
      .min(1)
      .nullable()
      .default(64)
      .describe(
        'Length of the noise vector; null for as long as the attributes, as in the paper. High: noise drowns the attributes.',
      ),
    attributeEncoding: z
      .enum(attributeEncodingKinds)
      .default('standardised')
      .describe("How attributes enter the generator; unit-length is the paper's."),
    attributeClip: positive
      .default(5)
      .describe(
        'Standardised attributes are cut off here. Low: strong attributes lose their strength. High: one outlier steers a class.',
      ),
    epochs: z
      .int()
      .min(1)
      .max(10_000)
      .default(8)
      .describe(
        'Passes over the training rows. Low: nothing is learnt beyond the closed form. High: the seen classes are memorised.',
      ),
    batchSize: z
      .int()
      .min(2)
      .max(8192)
      .default(256)
      .describe(
        'Real rows in a step, and as many generated ones. Low: transport has little to match. High: slower steps, fewer of them.',
      ),
    rowsPerClass: z
      .int()
      .min(0)
      .default(0)
      .describe('Above 0, a batch holds this many rows of each of its classes; 0 draws rows evenly.'),
    batchLabels: z
      .enum(['matched', 'independent'])
      .default('matched')
      .describe(
        "The classes of a batch's generated rows: those of its real rows, one for one, or seen classes drawn at random, as in the paper. Drawn at random, many rows of a small batch have no partner of their class.",
      ),
    outputBias: z
      .enum(['mean', 'zero'])
      .default('mean')
      .describe(
        "Where the bias of the generator's output starts: at the mean real feature, or at zero, as is usual. From zero, the first epochs are spent on finding the mean.",
      ),
    learningRate: positive
      .default(2e-4)
      .describe("Adam's step size. Low: training ends before it arrives. High: the loss jumps about."),
    schedule: z
      .enum(['cosine', 'constant'])
      .default('cosine')
      .describe('How the learning rate falls over the epochs.'),
    weightDecay: z
      .number()
      .min(0)
      .default(0.01)
      .describe('Pull of the weights toward 0. Low: memorising. High: every class looks like the mean.'),
    attributeDropout: z
      .number()
      .min(0)
      .max(0.95)
      .default(0.5)
      .describe(
        'Share of attribute values blanked at each draw. Low: the generator leans on few attributes. High: classes blur.',
      ),
    transportProbability: fraction
      .default(0.2)
      .describe(
        'p: how often a step uses transport instead of the supervised plan. High: slower to learn which class is which.',
      ),
    supervisedForm: z
      .enum(supervisedForms)
      .default('normalised')
      .describe("The supervised plan; 'paper' is as printed, and many times heavier."),
    discrimination: z
      .number()
      .min(0)
      .default(0.5)
      .describe(
        'Weight of the term that asks each real row to be nearest to its own class. 0 turns it off. High: features spread apart at the cost of likeness.',
      ),
    discriminationTemperature: positive
      .default(0.1)
      .describe(
        'Scale of cosine cost in that term. Low: only the hardest rivals count. High: it barely pushes.',
      ),
    beta: z
      .number()
      .min(0)
      .default(0)
      .describe(
        "Weight of the attribute regulariser on generated rows; 0 is the paper's 'w/o f'. High: features obey the predictor rather than the data.",
      ),
    gammaSquared: positive
      .default(10)
      .describe(
        'Sharpness of the regulariser. Low: its softmax stays flat and teaches nothing. High: it overfits the seen classes.',
      ),
    regulariseUnseen: z
      .boolean()
      .default(false)
      .describe(
        'Also regularise features generated for unseen classes, as the paper does. It pushes them off the real manifold. Without unseen classes, or with beta 0, it has no effect.',
      ),
    transport: transportSchema,
  })
  .prefault({});

export const headSchema = z
  .strictObject({
    samplesPerClass: z
      .int()
      .min(1)
      .max(100_000)
      .nullable()
      .default(null)
      .describe(
        'Synthetic features for each unseen class. Low: rows of chance. High: slower, no better. null: 300, and with more than 109 unseen classes 32768 divided by their number, but 4 at least, because memory and time grow with all of them together.',
      ),
    syntheticWeight: positive
      .nullable()
      .default(1)
      .describe(
        'How much a synthesised class counts, with 1 for the average seen class; null counts every row alike, as the paper does. Low: unseen classes lose to seen ones. High: they win too often.',
      ),
    syntheticSeen: z
      .boolean()
      .default(false)
      .describe('Also synthesise seen classes beside their real rows. It costs accuracy.'),
    residual: z
      .number()
      .min(0)
      .max(2)
      .default(1)
      .describe(
        'Share of real within-class variation added to synthetic features. Low: unseen classes look like points. High: they blur.',
      ),
    temperature: positive
      .nullable()
      .default(10)
      .describe(
        'Length to which the features that the head sees are scaled. Low: flat probabilities. High: overfitting. null leaves features as they are, as the paper does: generated ones, whose length nothing in training sets, then lose to seen classes or win by their length alone. null needs prior "zero" and residual 0.',
      ),
    prior: z
      .enum(headPriors)
      .default('prototypes')
      .describe('What the weights are pulled toward: the mean generated direction of each class, or zero.'),
    realPrior: fraction
      .default(0.5)
      .describe(
        "Share of a seen class's real mean in what its weights are pulled toward. Low: seen classes sit where attributes put them, off their pictures. High: they win over unseen classes, whose place is only predicted.",
      ),
    intercepts: z
      .boolean()
      .default(false)
      .describe(
        'Whether each class has a constant beside its weights. It absorbs how often a class was met in training, and makes the balance of seen and unseen classes depend on how many there are.',
      ),
    regularisation: z
      .number()
      .min(0)
      .nullable()
      .default(null)
      .describe(
        'L2 weight of the head. Low: overfitting. High: classes blur. null: 0.1, and with fewer than 200 classes 20 divided by their number, because rows then say more about each class than they know.',
      ),
    iterations: z
      .int()
      .min(1)
      .max(10_000)
      .default(100)
      .describe('Most iterations of the head fit. Low: it stops short of the optimum.'),
    replayPerClass: z
      .int()
      .min(1)
      .max(10_000)
      .default(60)
      .describe(
        'Real rows of each seen class kept in the bundle for adding classes at runtime. High: a larger bundle.',
      ),
  })
  .refine(
    ({ temperature, prior, residual }) => temperature !== null || (prior === 'zero' && residual === 0),
    {
      path: ['temperature'],
      error:
        'null leaves features as they are, which prototypes and residuals, being directions, do not go with. Set head.prior to "zero" and head.residual to 0, or give a temperature',
    },
  )
  .prefault({});

const fewShotSchema = z
  .strictObject({
    maxRows: z
      .int()
      .min(0)
      .max(1000)
      .default(usualFewRows)
      .describe(
        'Classes with at most so many training rows are few-shot classes: unseen classes with pictures, which attributes and pictures place together. Where fewer than eight seen classes would be left, or fewer than there are few-shot ones, all stay seen. Low: the mean of a few rows is taken for where a class lies. High: less is learnt of what attributes mean. 0: none.',
      ),
  })
  .prefault({});

const validationSchema = z
  .strictObject({
    folds: z
      .int()
      .min(1)
      .max(20)
      .default(4)
      .describe(
        'Disjoint sets of seen classes that play unseen in turn. Low: choices follow chance. High: slower.',
      ),
    searchFolds: z
      .int()
      .min(1)
      .max(20)
      .default(2)
      .describe('How many of the folds judge the values that the search tries; the bias takes all of them.'),
    classFraction: z
      .number()
      .gt(0)
      .lt(1)
      .default(0.1)
      .describe(
        'Share of the seen classes held out in a fold. Low: few classes decide. High: the generator has fewer to learn from than it will have in the end.',
      ),
    rowFraction: z
      .number()
      .gt(0)
      .lt(1)
      .default(0.2)
      .describe('Share of the rows of the other classes that play test rows.'),
    unseenBias: z
      .number()
      .nullable()
      .default(null)
      .describe(
        'Added to the scores of unseen classes. null chooses it on validation classes; the paper has none, which is 0. Low: pictures of unseen classes are taken for seen ones. High: the other way round.',
      ),
    shares: z
      .array(fraction)
      .default([0, 1])
      .describe(
        'Shares of what the generator learnt, of which the best on validation classes is taken; the first is kept unless another gains more than minimumGain and more than chance explains over the folds (so with a single fold it is always kept). An empty list keeps generator.share. Each value fits one head more in each fold.',
      ),
    assignment: z
      .enum(['chosen', 'usual'])
      .default('chosen')
      .describe(
        'How unlabelled pictures will be assigned to classes, and as how much each counts: chosen on validation classes, which takes some seconds for each fold, or the usual values, which suit whitened features and attributes that leave something open.',
      ),
    minimumGain: z
      .number()
      .min(0)
      .default(0.003)
      .describe(
        'How much higher H must be, as a fraction of 1, for another value to be taken. Low: chance decides. High: nothing changes.',
      ),
    search: z
      .strictObject({
        learningRate: z.array(positive).default([]),
        epochs: z.array(z.int().min(1)).default([]),
        beta: z.array(z.number().min(0)).default([]),
        gammaSquared: z.array(positive).default([]),
        regularisation: z.array(positive).default([]),
        samplesPerClass: z.array(z.int().min(1)).default([]),
      })
      .prefault({})
      .describe(
        'Values to try besides the configured one, one setting after another. Empty lists try nothing.',
      ),
  })
  .prefault({});

export const transductiveSchema = z
  .strictObject({
    rows: z
      .enum(['none', 'test-unseen'])
      .default('none')
      .describe(
        "Which rows are there without their labels. 'none': those of split none, of whatever classes; the trained model is adapted to them as `unseen adapt` does it, with its guard, and the settings below have no effect. 'test-unseen': the test rows of unseen classes, as in the paper, all of them taken to be of unseen classes; accuracy on the same rows is then no estimate for pictures still to come.",
      ),
    algorithm: z
      .enum(['rounds', 'paper'])
      .default('rounds')
      .describe(
        "How unlabelled rows are used: in rounds of assignment (and in epochs after training, if there are any), or as in the paper. 'paper' trains from the start on batches drawn from labelled and unlabelled rows together, with transport onto generated rows of seen and unseen classes, and the head learns from synthetic rows; generator.epochs and generator.learningRate apply, and the settings below have no effect.",
      ),
    epochs: z
      .int()
      .min(0)
      .max(10_000)
      .default(0)
      .describe(
        'Epochs of a trained generator in which unlabelled rows of unseen classes join the real rows of each batch, and transport runs over generated rows of seen and unseen classes. High: slower, and rows drawn to a wrong class stay there.',
      ),
    learningRate: positive
      .default(5e-4)
      .describe('Step size in those epochs. Low: nothing moves. High: what was learnt from labels is lost.'),
    rounds: z
      .int()
      .min(0)
      .max(1000)
      .default(10)
      .describe(
        'Rounds in which unlabelled rows are transported onto the unseen classes and each class moves toward its rows. Low: classes stop half-way. High: slower, no better.',
      ),
    keep: fraction
      .default(0.2)
      .describe(
        'How much of a class stays where its attributes put it, against the mean of its rows. Low: a class may wander off to the rows of another. High: the rows count for little.',
      ),
    attributePictures: z
      .number()
      .min(0)
      .default(8)
      .describe(
        'As how many rows the attributes of a class count beside those that it receives. Low: a class moves all the way to a few rows. High: classes with few rows hardly move.',
      ),
    masses: z
      .enum(['unknown', 'equal'])
      .default('unknown')
      .describe(
        "How many rows the classes are taken to have: 'unknown' (held to equal numbers by rho), or exactly 'equal', as in the paper, which loses accuracy where that is not so.",
      ),
    rho: z
      .number()
      .min(0)
      .default(0.03)
      .describe(
        'How firmly classes are held to equal numbers of rows when these are unknown. Low: a class that lies far off its rows loses them to others. High: rows are forced onto classes that have few.',
      ),
    epsilon: positive
      .default(0.03)
      .describe(
        'Entropy of the assignment in the rounds, in units of the cosine. Low: early mistakes are final. High: every row belongs a little to every class.',
      ),
  })
  .describe(
    'The transductive setting: unlabelled pictures are there while training. Leave it out for the other settings.',
  );

const experimentsSchema = z
  .strictObject({
    standardHead: z
      .enum(['joint', 'separate'])
      .default('joint')
      .describe(
        "What judges unseen classes among themselves: the head over all classes, or, as in the paper, a head of their own, fitted on their synthetic rows alone. 'separate' costs another fit, and no bundle has that head.",
      ),
    transductive: transductiveSchema
      .optional()
      .describe('The transductive settings of the table tzsl; left out, the defaults of `transductive`.'),
  })
  .describe('What only `unseen reproduce` uses.');

export const configurationSchema = z.strictObject({
  features: featuresSchema,
  generator: generatorSchema,
  head: headSchema,
  fewShot: fewShotSchema,
  validation: validationSchema,
  transductive: transductiveSchema.optional(),
  experiments: experimentsSchema.optional(),
});

export type Configuration = z.infer<typeof configurationSchema>;

/** The paper's transductive setting, in which training has the test rows of unseen classes; undefined in every other. */
export function paperTransductive({
  transductive,
}: Pick<Configuration, 'transductive'>): TransductiveSettings | undefined {
  return transductive?.rows === 'test-unseen' ? transductive : undefined;
}

export type FeatureSettings = z.infer<typeof featuresSchema>;
export type GeneratorSettings = z.infer<typeof generatorSchema>;
export type HeadSettings = z.infer<typeof headSchema>;
export type TransductiveSettings = z.infer<typeof transductiveSchema>;
export type TransportSettings = z.infer<typeof transportSchema>;
