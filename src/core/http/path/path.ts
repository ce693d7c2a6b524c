import { parseInteger } from '../../platform/paging.ts'

/**
 * Path patterns: `{name}` is one segment, `{name:int}` is one that stands for a number, `{name*}` is any number of
 * segments with their slashes, `{name:one|two}` is one of these words, and text before and after a name in its segment
 * is literal (`{sha}.{format}`). The router sees a coarser pattern; `match` decides.
 */
export interface PathPattern {
  /** The path for Fastify: parameters by position, a wildcard from the first `{name*}` on. */
  readonly routerPath: string
  readonly names: readonly string[]
  /** Names of the parameters `{name:int}`: any text matches, `compileParams` converts it to a number. */
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
 * `plain` is the pattern of a name without a star: a slash in a single segment was escaped by the client and belongs to
 * the
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

type Words<Text extends string> = Text extends `${infer First}|${infer Rest}` ? First | Words<Rest> : Text

type Param<Text extends string> = Text extends `${infer Name}:int`
  ? { readonly [K in Name]: number }
  : Text extends `${infer Name}:${infer Choice}`
    ? { readonly [K in Name]: Words<Choice> }
    : Text extends `${infer Name}*`
      ? { readonly [K in Name]: string }
      : { readonly [K in Text]: string }

type ParamsIn<Path extends string> = Path extends `${string}{${infer Text}}${infer Rest}`
  ? Param<Text> & ParamsIn<Rest>
  : unknown

type Flat<T> = { [K in keyof T]: T[K] }

/**
 * The parameters of a path literal: `'/repos/{owner}/labels/{id:int}'` has `{ owner: string; id: number }`. A path that
 * is not visible to the compiler has texts or numbers.
 */
export type PathParams<Path extends string> = string extends Path
  ? Readonly<Record<string, string | number>>
  : Flat<ParamsIn<Path>>

/** Functions that narrow the type of parameters, such as `{ id: asId<LabelId> }`. */
export type ParamReaders<Path extends string> = {
  readonly [K in keyof PathParams<Path>]?: (value: PathParams<Path>[K]) => unknown
}

/** The parameters of a path literal, read by readers where there are some. */
export type ReadParams<Path extends string, Readers> = Flat<{
  readonly [K in keyof PathParams<Path>]: K extends keyof Readers
    ? Readers[K] extends (value: never) => infer Result
      ? Result
      : PathParams<Path>[K]
    : PathParams<Path>[K]
}>

type Reader = (value: never) => unknown

/**
 * Converts the texts of a path to the parameters that a handler gets. An invalid number becomes 0, which no row has:
 * the look-up answers 404.
 */
export function compileParams(
  { integers }: PathPattern,
  readers: Readonly<Record<string, Reader | undefined>> = {},
): (texts: Readonly<Record<string, string>>) => Readonly<Record<string, unknown>> {
  const steps = Object.entries(readers).filter((step): step is [string, Reader] => step[1] !== undefined)
  if (integers.length === 0 && steps.length === 0) return (texts) => texts
  return (texts) => {
    const params: Record<string, unknown> = { ...texts }
    for (const name of integers) params[name] = parseInteger(texts[name])
    for (const [name, read] of steps) params[name] = read(params[name] as never)
    return params
  }
}
