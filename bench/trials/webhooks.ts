import { smallRepo } from '../data/fill.ts'
import type { Figure, Trial } from '../figure.ts'
import type { Run } from '../run.ts'
import { DATABASES, nameOn, onBothDatabases } from '../databases/both-databases.ts'
import { measureDeliveries } from '../webhooks/deliveries.ts'
import { startReceiver } from '../webhooks/start-receiver.ts'

/** Events for 100 webhooks: 10,000 deliveries from the default scale on. */
const EVENTS = 100
const FULL_SCALE = 0.2
const MIN = 5
const NAMES = {
  all: 'webhooks: 10,000 deliveries to 100 webhooks, by scale',
  cpu: 'webhooks: CPU time of a delivery',
  wrong: 'webhooks: deliveries lost, repeated or out of order',
  p99: 'webhooks: p99 of requests beside deliveries',
  memory: 'webhooks: memory above that before the deliveries',
  afterCommit: 'webhooks: from the answer to a commit to the first byte',
  afterIssue: 'webhooks: from the answer to the last of 100 first bytes',
  besideSilent: 'webhooks: the same, with a receiver that never answers among 100',
} as const
const MAX = { all: 60_000, cpu: 1, wrong: 0, p99: 1.5, memory: 40, afterCommit: 100, besideSilent: 1.5 } as const

/** Deliveries to a receiver in a process of its own that answers after 5 ms. */
export const webhooks: Trial = {
  names: Object.values(NAMES).flatMap((name) => DATABASES.map((database) => nameOn(name, database))),
  needs: 'site',
  run: (run) => onBothDatabases(run, measureOn),
}

async function measureOn(run: Run, database: (typeof DATABASES)[number]): Promise<Figure[]> {
  const { target, seed, own, options, tempDir } = run
  const receiver = await startReceiver(tempDir)
  const events = Math.min(EVENTS, Math.max(MIN, Math.round((EVENTS * options.scale) / FULL_SCALE)))
  const stage = { target, repo: smallRepo(seed.prefix, 0), pids: own!.pids, receiver }
  const measured = await measureDeliveries(stage, events)
  await receiver.stop()
  const { p99Before, afterIssue } = measured
  const figure = (key: keyof typeof NAMES, more: Omit<Figure, 'name' | 'measured'>): Figure => ({
    name: nameOn(NAMES[key], database),
    measured: measured[key],
    ...more,
  })
  return [
    figure('all', { unit: 'ms', max: (MAX.all * events) / EVENTS }),
    figure('cpu', { unit: 'ms', max: MAX.cpu }),
    figure('wrong', { unit: 'deliveries', max: MAX.wrong }),
    figure('p99', { unit: 'ms', beside: { name: 'without deliveries', value: p99Before }, max: MAX.p99 }),
    figure('memory', { unit: 'MB', max: MAX.memory }),
    figure('afterCommit', { unit: 'ms', max: MAX.afterCommit }),
    figure('afterIssue', { unit: 'ms' }),
    figure('besideSilent', {
      unit: 'ms',
      beside: { name: 'all answer', value: afterIssue },
      max: MAX.besideSilent,
    }),
  ]
}
