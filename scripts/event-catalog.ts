import type { ModuleParts } from '../src/core/module.ts'

interface NamedParts extends Pick<ModuleParts, 'events' | 'jobs' | 'projections' | 'subscriptions'> {
  readonly name: string
}

const HEAD = `# Events and jobs

Generated from the modules by \`npm run generate\`: do not edit. For each event the module that declares it, and the
modules whose projections (in the transaction of the change) and subscriptions (after commit) handle it, in the order
in which they run. Each kind of job has a handler in one module.
`

/** The text of `docs/design/events.md`. */
export function eventCatalog(modules: readonly NamedParts[]): string {
  const events = modules.flatMap(({ name, events: declared = {} }) =>
    Object.keys(declared).map((kind) => [
      code(kind),
      name,
      handlersOf(modules, 'projections', kind),
      handlersOf(modules, 'subscriptions', kind),
    ]),
  )
  const jobs = modules.flatMap(({ name, jobs: declared = {} }) =>
    Object.entries(declared).map(([kind, { group }]) => [code(kind), name, group]),
  )
  return [
    HEAD,
    '## Events\n',
    table(['event', 'module', 'projections', 'subscriptions'], events),
    '\n## Jobs\n',
    table(['job', 'module', 'queue'], jobs),
    '',
  ].join('\n')
}

const code = (text: string): string => `\`${text}\``

const handlersOf = (modules: readonly NamedParts[], part: 'projections' | 'subscriptions', kind: string): string =>
  modules
    .filter((module) => Object.hasOwn(module[part] ?? {}, kind))
    .map(({ name }) => name)
    .join(', ')

/** Rows in the order of their first cell. */
const table = (titles: readonly string[], rows: readonly (readonly string[])[]): string =>
  [titles, titles.map(() => '---'), ...rows.toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1))]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
