import type { Figure } from '../figure.ts'
import { isChosen } from '../options.ts'
import type { Run } from '../run.ts'
import { openPostgresRun } from './postgres-run.ts'

export const DATABASES = ['SQLite', 'PostgreSQL'] as const

/** The name of a figure on a database. */
export const nameOn = (name: string, database: string): string => `${name}, ${database}`

/** Measures on SQLite, then on PostgreSQL if the options include it; nothing where the server is not of this run. */
export async function onBothDatabases(
  run: Run,
  measureOn: (run: Run, database: (typeof DATABASES)[number]) => Promise<Figure[]>,
): Promise<Figure[]> {
  if (run.own === undefined) return []
  const figures = await measureOn(run, 'SQLite')
  const postgres = run.options.postgres ? await openPostgresRun(run, []) : undefined
  if (postgres === undefined) return figures
  figures.push(...(await measureOn(postgres.run, 'PostgreSQL')))
  await run.tempDir.stop(postgres.run.own!.server.child)
  return figures
}

type Part = readonly [names: readonly string[], measure: () => Promise<Figure[]>]

/** Measures, one after the other, the parts of a trial that have a figure whose name `--only` leaves in. */
export async function measureParts(
  { options }: Pick<Run, 'options'>,
  database: (typeof DATABASES)[number],
  parts: readonly Part[],
): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const [names, measure] of parts)
    if (names.some((name) => isChosen(options, nameOn(name, database)))) figures.push(...(await measure()))
  return figures.map((figure) => ({ ...figure, name: nameOn(figure.name, database) }))
}
