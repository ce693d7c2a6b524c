import { parseArgs } from 'node:util'

export interface Options {
  /** Share of the full large repository and of the full lists, over 0 up to 1. */
  readonly scale: number
  /** Seconds of load on each endpoint. */
  readonly seconds: number
  readonly connections: number
  /** Chooses endpoints and figures by name. */
  readonly only: RegExp | undefined
  readonly compare: { readonly url: string; readonly token: string } | undefined
  /** File that gets every number as JSON. */
  readonly json: string | undefined
}

export const HELP = `Usage: npm run bench -- [options]

Starts a server of its own on fresh data, fills it, pushes a large repository into it, waits until the server's
maintenance of it is over, and measures it beside a bare HTTP server (H) and the equal git commands, all in the same run.

H is the better of a measurement before and one after, and what targets are held against. The column "beside" has the
ratio to what the bare server answers just before and after each endpoint: go by it where the machine is busy.

Memory is read fifteen seconds after the last request, when the server is idle: idle on existing data, after once the
load is over. Its highest is that of the whole run.

The rows that lists are measured on (at full scale 20,000 users, 20,000 empty repositories, 100,000 follows, 100,000
stars) are written by a process of its own through the server's data layer, before the server starts: through the API
they would take an hour. Another server (--compare) is measured with what the API can make: lists are those it has.

  --scale N          size of the large repository and of the lists, 0.001 to 1 (default 1: 80,000 commits, 5,000 files)
  --seconds N        seconds of load on each endpoint (default 3)
  --connections N    connections of the load (default 8)
  --only PATTERN     measure only endpoints and figures whose name matches this regular expression, whatever its case;
                     the large repository is made and pushed only when one of them needs it
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
  if ((values.compare === undefined) !== (values.token === undefined))
    throw new UsageError('--compare and --token go together')
  return {
    scale: numberIn('scale', values.scale ?? '1', [0.001, 1]),
    seconds: numberIn('seconds', values.seconds ?? '3', [0.1, 600]),
    connections: Math.round(numberIn('connections', values.connections ?? '8', [1, 1000])),
    only: values.only === undefined ? undefined : readPattern(values.only),
    compare: values.compare === undefined ? undefined : { url: checkUrl(values.compare), token: values.token! },
    json: values.json,
  }
}

/** Whether `--only` leaves this name in. */
export const isChosen = ({ only }: Pick<Options, 'only'>, name: string): boolean =>
  only === undefined || only.test(name)

function parse(argv: readonly string[]) {
  const text = { type: 'string' } as const
  try {
    return parseArgs({
      args: [...argv],
      options: {
        scale: text,
        seconds: text,
        connections: text,
        only: text,
        compare: text,
        token: text,
        json: text,
        help: { type: 'boolean', short: 'h' },
      },
    }).values
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

function readPattern(text: string): RegExp {
  try {
    return new RegExp(text, 'i')
  } catch (error) {
    throw new UsageError(`--only must be a regular expression: ${(error as Error).message}`)
  }
}

function numberIn(name: string, text: string, [least, most]: readonly [number, number]): number {
  const value = Number(text)
  if (text.trim() === '' || !(value >= least && value <= most))
    throw new UsageError(`--${name} must be a number from ${least} to ${most}, not ${text}`)
  return value
}

function checkUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:\/\//.test(text))
    throw new UsageError(`--compare must be an http or https URL, not ${text}`)
  return text.replace(/\/+$/, '')
}
