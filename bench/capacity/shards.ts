/**
 * A head whose rows are spread over several machines. Each shard s scores its own classes C_s and answers its k best, with
 *   m_s = max over C_s of z_c        t_s = sum over C_s of exp(z_c - m_s)
 * from which alone the caller computes the softmax over all classes:
 *   m = max m_s     t = sum of t_s exp(m_s - m)     p_c = exp(z_c - m) / t
 * The k best of all are among the k best of the shards. A shard answers k names and k + 2 numbers, however many rows it has.
 */
interface Scored {
  readonly class: string;
  readonly score: number; // z_c
}

interface ShardAnswer {
  readonly best: readonly Scored[];
  readonly max: number; // m_s
  readonly total: number; // t_s
}

export function answerOfShard(scored: readonly Scored[], topK: number): ShardAnswer {
  const max = scored.reduce((high, { score }) => Math.max(high, score), -Infinity);
  const total = scored.reduce((sum, { score }) => sum + Math.exp(score - max), 0);
  return { best: bestOf(scored, topK), max, total };
}

export function mergeShardAnswers(shards: readonly ShardAnswer[], topK: number) {
  const max = Math.max(...shards.map((shard) => shard.max));
  const total = shards.reduce((sum, shard) => sum + shard.total * Math.exp(shard.max - max), 0);
  const best = bestOf(
    shards.flatMap((shard) => shard.best),
    topK,
  );
  return best.map(({ class: name, score }) => ({ class: name, probability: Math.exp(score - max) / total }));
}

/** Best first; of equals the one whose name comes first, as the server does. */
function bestOf(scored: readonly Scored[], count: number): Scored[] {
  return [...scored].sort((a, b) => b.score - a.score || (a.class < b.class ? -1 : 1)).slice(0, count);
}
