import { type Members, members } from '../../../../core/platform/json-members.ts'

/** Undefined for a value of another type. */
type Reader = (value: unknown) => unknown

const text: Reader = (value) =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
const bool: Reader = (value) => (typeof value === 'boolean' ? value : undefined)
const any: Reader = (value) => value

/** Undefined unless every element is valid. */
const list =
  (element: Reader): Reader =>
  (value) => {
    if (!Array.isArray(value)) return undefined
    const read = value.map((one) => element(one))
    return read.includes(undefined) ? undefined : read
  }

const object =
  (readers: Readonly<Record<string, Reader>>): Reader =>
  (value) =>
    isObject(value) ? read(members(value), readers) : undefined

const texts: Reader = (value) =>
  isObject(value)
    ? read(members(value), Object.fromEntries(Object.keys(members(value)).map((name) => [name, text])))
    : undefined

const isObject = (value: unknown): boolean => value !== null && typeof value === 'object' && !Array.isArray(value)

const read = (sent: Members, readers: Readonly<Record<string, Reader>>): Members =>
  Object.fromEntries(
    Object.entries(readers).flatMap(([name, reader]) => {
      const value = Object.hasOwn(sent, name) ? reader(sent[name]) : undefined
      return value === undefined ? [] : [[name, value] as const]
    }),
  )

const DEPENDENCY = {
  name: text,
  version: text,
  repository: text,
  condition: text,
  tags: list(text),
  enabled: bool,
  'import-values': list(any),
  alias: text,
}

const CHART = {
  apiVersion: text,
  name: text,
  version: text,
  kubeVersion: text,
  description: text,
  type: text,
  keywords: list(text),
  home: text,
  sources: list(text),
  dependencies: list(object(DEPENDENCY)),
  maintainers: list(object({ name: text, email: text, url: text })),
  icon: text,
  appVersion: text,
  deprecated: bool,
  condition: text,
  tags: text,
  annotations: texts,
  engine: text,
  tillerVersion: text,
}

/**
 * The members of Chart.yaml that an index has (helm.sh/docs/topics/charts). COMPAT: a client refuses the whole index
 * for an unknown member, or one of another type, of any chart (test/packages/registry/helm.test.ts).
 */
export const listedMembers = (document: Members): Members => read(document, CHART)
