import { parseArgs } from 'node:util'

export interface Options {
  /** Share of the full large repository and of the full lists, over 0 up to 1. */
  readonly scale: number
  /** Seconds of load on each endpoint. */
  readonly seconds: number
  readonly connections: number
  /** Servers of `--only nodes`. */
  readonly nodes: number
  /** One shared directory as each node sees it; empty for a local one. */
  readonly shared: readonly string[]
  /** `server.workers` of the measured server. */
  readonly workers: number
  /** Chooses endpoints and figures by name. */
  readonly only: RegExp | undefined
  /** Measures the reading endpoints on PostgreSQL too. */
  readonly postgres: boolean
  /** What everything is measured on: the address of an empty PostgreSQL database, or a server that the run starts. */
  readonly database: 'postgres' | 'sqlite' | URL
  /** Makes the issues through the API. */
  readonly throughApi: boolean
  /** A repository on disk to measure with in place of the synthetic large one. */
  readonly large: string | undefined
  /** Open pull requests of the large repository; by the scale when undefined. */
  readonly pulls: number | undefined
  readonly compare: { readonly url: string; readonly token: string } | undefined
  /** File that gets every number as JSON. */
  readonly json: string | undefined
}

export const HELP = `Usage: npm run bench -- [options]

Starts a server of its own on fresh data, fills it, pushes a large repository into it, waits until the server's
maintenance of it is over, and measures it beside a bare HTTP server (H) and the equal git commands, all in the same run.
It takes about eight minutes on two idle processors; each row is printed to standard error when it is measured, the
tables to standard output at the end.

wrk sends the load (Debian: apt install wrk). The ceiling is what its one thread could send if it never waited: requests
for each second of its own CPU time, against a server that answers the same bytes without reading the request. No ratio
is printed for a row in which wrk was busy 90 % of the time or more: the rate would be that of wrk. Without wrk a Node
client sends, which is slower than the servers, so no ratio is printed at all.

Columns: "CPU us" is the CPU time of the server's process tree for one request, which other work on the machine changes
least. H is the better of a measurement before and one after, and what targets are compared with. "beside" is the ratio
to what the bare server answered just before the endpoint, "by CPU" the ratio of the CPU times: go by these where the
machine is busy.

The reading endpoints are measured on SQLite and on a PostgreSQL server that the run starts (without fsync; reached by
loopback). A proxy counts what one request asks it: queries, and the round trips that it waits for, these also right
after a commit, when nothing is remembered.

The large repository has 80,000 commits at scale 1, a fifth of them on merged branches, 5,000 files of up to 5 MB, a
root of 400 entries, a directory of 1,300 and one twelve levels deep; smaller scales have fewer commits, and below 0.1
fewer files. Cold directories are asked for once, after the maintenance and right after a push.

The rows of the mix come first: six accounts read about 900 addresses in random order, as on a working day, while
issues are commented on and edited. They need wrk. The other rows of endpoints ask for one address again and again.

Memory is read fifteen seconds after the last request, when the server is idle: idle on existing data, after once the
load is over. Its highest is that of the whole run.

The rows that lists are measured on (at full scale 20,000 users, 20,000 empty repositories, 100,000 follows, 100,000
stars; 1,000,000 issues of 1,000 repositories and 1,000,000 comments, of which smaller scales have the square of their
share) are written by a process of its own through the server's data layer, before the server starts, or the issues by
clients of the API (--through-api). The pull requests of the large repository are written in the same way, while the server runs; their
branches are pushed. Another server (--compare) is measured with what the API can make: lists are those it has.

  --scale N          size of the large repository and of the lists, 0.001 to 1 (default 0.2)
  --seconds N        seconds of load on each endpoint (default 2; wrk counts whole seconds)
  --connections N    connections of the load (default 8)
  --only PATTERN     measure only endpoints and figures whose name matches this regular expression, whatever its case;
                     the large repository is made and pushed only when one of them needs it
  --only stalls      only send requests that are made to stop a server (bench/stalls), and print for the worst twenty how
                     long another caller waited; --only 'stalls: JSON' sends those whose name begins so
  --only nodes       only start several nodes on one PostgreSQL and one root, kill one of them every 30 seconds and restart
                     PostgreSQL once under mixed load of --seconds (default 600), and compare what was acknowledged with
                     what is there; with the S3 server of INGOT_VERSITYGW away for 60 seconds where there is one
  --only model       only simulate 1,000,000 repositories, 100,000 accounts, 2,000 requests/s and 20 pushes/s: how many nodes, what
                     they ask of PostgreSQL and of the shared file system, and what breaks first as the load grows
  --nodes N          servers of --only nodes (default 3)
  --shared A,B,C     directories at which the servers of --only nodes see one shared file system, in turn: mounts of an
                     NFS server, say (default: one local directory)
  --workers N        server.workers of the measured server (default 1)
  --large DIR        measure with the default branch and the tags of this git repository in place of the synthetic large
                     one, such as a clone of git: --only 'many pulls' --large git.git --pulls 2000 --scale 0.02
  --pulls N          open pull requests of the large repository, 20 to 20,000 (default 2,000 x scale); ten times as many
                     are closed
  --through-api      make the issues through the API, each in a request of its own: about half an hour at full scale
  --no-postgres      measure on SQLite alone
  --database WHERE   measure everything, the writing endpoints and the other figures too, on PostgreSQL alone: postgres
                     starts a server, postgres://... is an empty database of one that runs, whose CPU time is not counted
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
    scale: numberIn('scale', values.scale ?? '0.2', [0.001, 1]),
    seconds: numberIn('seconds', values.seconds ?? (values.only === 'nodes' ? '600' : '2'), [0.1, 86_400]),
    connections: Math.round(numberIn('connections', values.connections ?? '8', [1, 1000])),
    ...readNodes(values),
    workers: Math.round(numberIn('workers', values.workers ?? '1', [1, 64])),
    only: values.only === undefined ? undefined : readPattern(values.only),
    throughApi: values['through-api'] === true,
    postgres: values['no-postgres'] !== true && values.database === undefined,
    database: readDatabase(values.database ?? 'sqlite'),
    compare: values.compare === undefined ? undefined : { url: checkUrl(values.compare), token: values.token! },
    json: values.json,
    large: values.large,
    pulls: values.pulls === undefined ? undefined : Math.round(numberIn('pulls', values.pulls, [20, 20_000])),
  }
}

const readNodes = ({ nodes, shared }: ReturnType<typeof parse>): Pick<Options, 'nodes' | 'shared'> => ({
  nodes: Math.round(numberIn('nodes', nodes ?? '3', [1, 9])),
  shared: shared?.split(',') ?? [],
})

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
        nodes: text,
        shared: text,
        workers: text,
        only: text,
        compare: text,
        token: text,
        json: text,
        database: text,
        large: text,
        pulls: text,
        'no-postgres': { type: 'boolean' },
        'through-api': { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

function readDatabase(text: string): Options['database'] {
  if (text === 'sqlite' || text === 'postgres') return text
  if (!URL.canParse(text) || !/^postgres(ql)?:\/\//.test(text))
    throw new UsageError(`--database must be sqlite, postgres or a postgres:// URL, not ${text}`)
  return new URL(text)
}

function readPattern(text: string): RegExp {
  try {
    return new RegExp(text, 'i')
  } catch (error) {
    throw new UsageError(`--only must be a regular expression: ${(error as Error).message}`)
  }
}

function numberIn(name: string, text: string, [min, max]: readonly [number, number]): number {
  const value = Number(text)
  if (text.trim() === '' || !(value >= min && value <= max))
    throw new UsageError(`--${name} must be a number from ${min} to ${max}, not ${text}`)
  return value
}

function checkUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:\/\//.test(text))
    throw new UsageError(`--compare must be an http or https URL, not ${text}`)
  return text.replace(/\/+$/, '')
}
