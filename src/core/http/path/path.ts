/**
 * Path patterns: `{name}` is one segment, `{name:int}` is one that stands for a number, `{name*}` is any number of
 * segments with their slashes, `{name:one|two}` is one of these words, and text before and after a name in its segment
 * is literal (`{sha}.{format}`). The router sees a coarser pattern; `match` decides.
 */
export interface PathPattern {
  /** For Fastify: parameters by position, a wildcard from the first `{name*}` on. */
  readonly routerPath: string
  readonly names: readonly string[]
  /** Those of `{name:int}`: any text matches, `compileParams` makes it a number. */
  readonly integers: readonly string[]
  /** A higher weight is tried first where several operations share a router path. */
  readonly weight: number
  /** Whether the segment at `index`, from 0, is a parameter in whole; not those of a wildcard. */
  isParameter(index: number): boolean
  /** The parameters by name, as texts, or undefined when this pattern does not fit after all. */
  match(raw: Readonly<Record<string, string>>): Record<string, string> | undefined
}

/** Names of `{name:int}`. */
const INTEGER = /\{(\w+):int\}/g

export function compilePath(path: string): PathPattern {
  const integers = [...path.matchAll(INTEGER)].map((match) => match[1]!)
  const segments = path.replaceAll(INTEGER, '{$1}').split('/').slice(1)
  const wild = segments.findIndex((segment) => segment.includes('*}'))
  const head = wild < 0 ? segments : segments.slice(0, wild)
  const router = head.map((segment, index) => (segment.includes('{') ? `:p${index}` : segment))
  const names = [...path.matchAll(/\{(\w+)[^}]*\}/g)].map((match) => match[1]!)
  const tests = head.map((segment) => (segment.includes('{') ? segmentTest(segment, '.+?') : undefined))
  const tail = wild < 0 ? undefined : segmentTest(segments.slice(wild).join('/'), '[^/]+?')
  return {
    routerPath: `/${[...router, ...(wild < 0 ? [] : ['*'])].join('/')}`,
    names,
    integers,
    weight: path.replaceAll(/\{[^}]*\}/g, '').length,
    isParameter: (index) => /^\{\w+\}$/.test(head[index] ?? ''),
    match(raw) {
      const params: Record<string, string> = {}
      for (const [index, test] of tests.entries()) if (test && !test(raw[`p${index}`] ?? '', params)) return undefined
      return tail === undefined || tail(raw['*'] ?? '', params) ? params : undefined
    },
  }
}

type Test = (text: string, params: Record<string, string>) => boolean

/**
 * `plain` is what a name without a star takes: a slash in a single segment was escaped by the client and belongs to the
 * name.
 */
function segmentTest(segment: string, plain: string): Test {
  const whole = /^\{(\w+)(\*?)\}$/.exec(segment)
  if (whole) {
    const name = whole[1]!
    return (text, params) => {
      params[name] = text
      return text !== ''
    }
  }
  const source = segment.replaceAll(
    /\{(\w+)(?::([\w|]+))?(\*?)\}|[^{}]+/g,
    (part, name: string | undefined, words: string | undefined, star: string | undefined) =>
      name === undefined
        ? part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
        : `(?<${name}>${words ?? (star ? '.+' : plain)})`,
  )
  const pattern = new RegExp(`^${source}$`, 's')
  return (text, params) => {
    const found = pattern.exec(text)
    if (found) Object.assign(params, found.groups)
    return found !== null
  }
}
