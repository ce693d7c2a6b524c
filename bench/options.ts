import { parseArgs } from 'node:util'

export interface Options {
  /** Share of the full large repository, over 0 up to 1. */
  readonly scale: number
  /** Seconds of load on each endpoint. */
  readonly seconds: number
  readonly connections: number
  readonly compare: { readonly url: string; readonly token: string } | undefined
  /** File that gets every number as JSON. */
  readonly json: string | undefined
}

export const HELP = `Usage: npm run bench -- [options]

Starts a server of its own on fresh data, fills it, pushes a large repository into it and measures it
beside a bare HTTP server and the equal git commands, all in the same run.

  --scale N          size of the large repository, 0.001 to 1 (default 1: 80,000 commits, 5,000 files)
  --seconds N        seconds of load on each endpoint (default 3)
  --connections N    connections of the load (default 8)
  --compare URL      send the same requests to another server of the same API too
  --token T          token for that server, with scope all; repositories that the run makes there are deleted
  --json FILE        also write every number to FILE
  --help             show this
`

/** A wrong command line; the message names the option. */
export class UsageError extends Error {}

/** Reads the command line; undefined when only help is asked for. Throws UsageError. */
export function readOptions(argv: readonly string[]): Options | undefined {
  const values = parse(argv)
  if (values.help === true) return undefined
  if ((values.compare === undefined) !== (values.token === undefined)) throw new UsageError('--compare and --token go together')
  return {
    scale: numberIn('scale', values.scale ?? '1', [0.001, 1]),
    seconds: numberIn('seconds', values.seconds ?? '3', [0.1, 600]),
    connections: Math.round(numberIn('connections', values.connections ?? '8', [1, 1000])),
    compare: values.compare === undefined ? undefined : { url: checkUrl(values.compare), token: values.token! },
    json: values.json,
  }
}

function parse(argv: readonly string[]) {
  const text = { type: 'string' } as const
  try {
    return parseArgs({
      args: [...argv],
      options: { scale: text, seconds: text, connections: text, compare: text, token: text, json: text, help: { type: 'boolean', short: 'h' } },
    }).values
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

function numberIn(name: string, text: string, [least, most]: readonly [number, number]): number {
  const value = Number(text)
  if (text.trim() === '' || !(value >= least && value <= most)) throw new UsageError(`--${name} must be a number from ${least} to ${most}, not ${text}`)
  return value
}

function checkUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:\/\//.test(text)) throw new UsageError(`--compare must be an http or https URL, not ${text}`)
  return text.replace(/\/+$/, '')
}
