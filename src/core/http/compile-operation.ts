import { compileDecoder, type Decoder } from './body/decode.ts'
import type { Operation } from './operation.ts'
import { compilePath, compileParams } from './path/path.ts'

/** An operation with values computed once from its declaration. */
export interface CompiledOperation extends Operation {
  /** The parameters for the handler, of the texts of a path. */
  readParams(texts: Readonly<Record<string, string>>): Readonly<Record<string, unknown>>
  readonly queryDecoder: Decoder | undefined
  /** Undefined for operations without a body and for streamed bodies. */
  readonly bodyDecoder: Decoder | undefined
}

export function compileOperation(operation: Operation): CompiledOperation {
  const { path, params, query, body, bodyKind } = operation
  return {
    ...operation,
    readParams: compileParams(compilePath(path), params),
    queryDecoder: query && compileDecoder(query),
    bodyDecoder: body && bodyKind === 'json' ? compileDecoder(body) : undefined,
  }
}
