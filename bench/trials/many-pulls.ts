import type { Figure, Trial } from '../figure.ts'
import { creationFigures, MERGE_STYLES, mergeFigures, pushFigures, recheckFigures } from '../pulls/changes.ts'
import { HEADS } from '../pulls/plan.ts'
import { coldFigure, readFigure } from '../pulls/reads.ts'
import { COUNTS, createPull, LAST, setUpPulls } from '../pulls/setup.ts'
import type { Run } from '../run.ts'

const named = (name: string) => `many pulls: ${name}`
const timed = (name: string) => ({ wall: named(name), cpu: named(`${name}, CPU`) })
const NAMES = {
  list: named('a page of 20, by CPU'),
  one: named('one, by CPU'),
  files: named('100 files, by CPU'),
  diff: named('.diff of 100 files, by CPU'),
  coldFiles: named('100 files, first'),
  coldDiff: named('.diff of 100 files, first'),
  create: { ...timed('create one'), known: named('mergeability of it known, after the answer') },
  recheck: { ...timed('check of 1,000 after their base moved'), others: named('another request meanwhile, p99') },
  push: timed('push to the head of 20'),
} as const
const mergeNames = (style: string) => timed(`merge by ${style}`)
const LIMITS = { cold: 100, create: 50, known: 1000, merge: 150, push: 1.3 } as const

/** Pull requests of the large repository, of which it has as many as a large project: behaviour of each request. */
export const manyPulls: Trial = {
  names: Object.values(NAMES)
    .flatMap((name) => (typeof name === 'string' ? [name] : Object.values(name)))
    .concat(MERGE_STYLES.flatMap((style) => Object.values(mergeNames(style)))),
  needs: 'large',
  async run(run) {
    if (run.own === undefined) return []
    await setUpPulls(run)
    const figures = await measureReads(run)
    figures.push(...(await creationFigures(run, NAMES.create, LIMITS)))
    for (const style of MERGE_STYLES)
      figures.push(
        ...(await mergeFigures(run, style, {
          names: mergeNames(style),
          max: LIMITS.merge,
          count: LAST.countedMerge,
        })),
      )
    figures.push(...(await pushFigures(run, NAMES.push, LIMITS.push)))
    figures.push(...(await recheckFigures(run, NAMES.recheck)))
    return figures
  },
}

async function measureReads(run: Run): Promise<Figure[]> {
  const wide: number[] = []
  for (let i = 0; i < COUNTS.wide; i++) wide.push((await createPull(run, `${HEADS.wide}-${i}`)).number)
  const half = wide.length / 2
  const files = (number: number) => `/pulls/${number}/files?limit=100`
  const diff = (number: number) => `/pulls/${number}.diff`
  return [
    await coldFigure(run, NAMES.coldFiles, wide.slice(0, half).map(files), LIMITS.cold),
    await coldFigure(run, NAMES.coldDiff, wide.slice(half).map(diff), LIMITS.cold),
    await readFigure(run, { name: NAMES.list, path: '/pulls?limit=20&state=open', min: 0.03 }),
    await readFigure(run, { name: NAMES.one, path: `/pulls/${wide[0]!}`, min: 0.06 }),
    await readFigure(run, { name: NAMES.files, path: files(wide[0]!), min: 0.01 }),
    await readFigure(run, { name: NAMES.diff, path: diff(wide[half]!), min: 0.01 }),
  ]
}
