export interface CranPackage {
  readonly name: string
  readonly version: string
  /** Lines of the index, without that of the sum. */
  readonly lines: readonly string[]
}

const NAME = /^[A-Za-z][A-Za-z\d.]{0,198}[A-Za-z\d]$/
const VERSION = /^\d{1,9}(?:[.-]\d{1,9}){1,19}$/
const MAX_FIELD = 32 * 1024
/** The fields that `tools::write_PACKAGES` of R lists. */
const FIELDS = [
  'Package',
  'Version',
  'Priority',
  'Depends',
  'Imports',
  'LinkingTo',
  'Suggests',
  'Enhances',
  'OS_type',
  'License',
  'License_is_FOSS',
  'License_restricts_use',
  'Archs',
  'NeedsCompilation',
] as const

/** Reads the file DESCRIPTION of an R package; throws for an invalid one. Runs in a child process. */
export const createTask =
  () =>
  (text: string): CranPackage => {
    const fields = fieldsOf(text)
    const [name, version] = [fields.get('Package') ?? '', fields.get('Version') ?? '']
    if (!NAME.test(name)) throw new Error('the name of the package is invalid')
    if (!VERSION.test(version)) throw new Error('the version of the package is invalid')
    const lines = FIELDS.flatMap((field) => {
      const value = fields.get(field) ?? ''
      if (value.length > MAX_FIELD) throw new Error(`the field ${field} is too long`)
      return value === '' ? [] : [`${field}: ${value}`]
    })
    return { name, version, lines }
  }

/** Lines that begin with white space continue the field before them (Debian control format). */
function fieldsOf(text: string): Map<string, string> {
  const fields = new Map<string, string[]>()
  let last: string[] | undefined
  for (const line of text.toWellFormed().replaceAll('\0', '').split('\n')) {
    if (/^\s/.test(line)) last?.push(line.trim())
    else {
      const [, name, value = ''] = /^([^:\s]+):(.*)$/.exec(line) ?? []
      last = name === undefined ? undefined : [value.trim()]
      if (name !== undefined && last !== undefined) fields.set(name, last)
    }
  }
  return new Map([...fields].map(([name, lines]) => [name, lines.join(' ').trim()]))
}
