import { parseInteger } from '../../platform/paging.ts'
import type { PathPattern } from './path.ts'

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
 * Makes the parameters that a handler gets of the texts of a path. What should be a number and is none becomes 0, which
 * no row has: the look-up answers 404.
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
