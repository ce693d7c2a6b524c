import { defaultCode, engineErrors, type ErrorEntry, type ErrorKind } from '../src/core/platform/errors.ts'
import { STATUS } from '../src/core/http/answer/error-response.ts'
import { errors } from '../src/domains/errors.ts'

const HEAD = `# Errors

Generated from the catalogue by \`npm run generate\`: do not edit. Every error of the API has its code in the header
\`X-Ingot-Reason\`. A code does not change; messages may. In a message \`{name}\` stands for a value. The body of a 404
has no members ([Not found](decisions.md#not-found)), so that its message is in the header \`X-Ingot-Message\`.
`

interface CataloguedError {
  readonly code: string
  readonly status: number
  readonly message: string
}

/** Each error with a code of its own. */
export function cataloguedErrors(): readonly CataloguedError[] {
  const defined: readonly ErrorEntry[] = [...Object.values(engineErrors), ...Object.values(errors)]
  return [
    ...defined.map(({ code, kind, message }) => ({ code, status: statusOf(kind), message })),
    { code: 'range_not_satisfiable', status: 416, message: '' },
    { code: 'rate_limited', status: 429, message: 'too many {what} from this address, try again in {seconds} seconds' },
  ]
}

/** The codes of errors that occur in one place each and have none of their own. */
export function defaultErrors(): readonly Omit<CataloguedError, 'message'>[] {
  const named = new Set(cataloguedErrors().map(({ code }) => code))
  return Object.entries(STATUS)
    .map(([kind, status]) => ({ code: defaultCode(kind as ErrorKind), status }))
    .filter(({ code }) => !named.has(code))
}

const statusOf = (kind: ErrorKind): number => (STATUS as Readonly<Record<string, number>>)[kind]!

/** The text of `docs/behaviour/errors.md`. */
export function errorCatalog(): string {
  const byStatus = (a: { status: number; code: string }, b: { status: number; code: string }): number =>
    a.status - b.status || (a.code < b.code ? -1 : 1)
  const row = (...cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`
  const cell = (message: string): string => message.replaceAll('|', '\\|').trim()
  return [
    HEAD,
    row('code', 'status', 'message'),
    row('---', '---', '---'),
    ...cataloguedErrors()
      .toSorted(byStatus)
      .map(({ code, status, message }) => row(`\`${code}\``, status, cell(message))),
    '\n## Other errors\n\nAn error that is not in the list has the code of its status.\n',
    row('code', 'status'),
    row('---', '---'),
    ...defaultErrors()
      .toSorted(byStatus)
      .map(({ code, status }) => row(`\`${code}\``, status)),
    '',
  ].join('\n')
}
