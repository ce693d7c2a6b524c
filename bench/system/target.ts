import { join } from 'node:path'
import type { ChildProcess } from 'node:child_process'
import { performance } from 'node:perf_hooks'
import { onLines, type TempDir } from './processes.ts'

/** A server under test and the account that the run works with. */
export interface Target {
  readonly name: string
  readonly url: string
  readonly login: string
  readonly token: string
  /** Unknown for a server that the run did not start. */
  readonly password: string | undefined
  /**
   * Milliseconds that the server says it spent on git-receive-pack requests since the last call; undefined when it
   * cannot say.
   */
  takePushTime?(): number | undefined
}

export interface OwnServer {
  readonly url: string
  readonly child: ChildProcess
  readonly firstAnswerMs: number
  readonly adminPassword: string | undefined
  takePushTime(): number | undefined
  /** Starts the inspector of V8 in the server and returns its address. */
  inspectorUrl(): Promise<string>
}

const root = join(import.meta.dirname, '../..')

interface OwnSettings {
  readonly dataDir: string
  /** Address of a PostgreSQL database; if absent, SQLite in the data directory. */
  readonly databaseUrl?: string
  /** `server.workers`, 1 when undefined. */
  readonly workers?: number | undefined
  /** The directories in which the server finds git. */
  readonly path?: string | undefined
  readonly codeSearch?: boolean
}

/** Starts Ingot on a data directory and waits for its first answer. */
export async function startOwn(
  tempDir: TempDir,
  { dataDir, databaseUrl = '', workers = 1, path = process.env['PATH'], codeSearch = false }: OwnSettings,
): Promise<OwnServer> {
  const begin = performance.now()
  const child = tempDir.start(process.execPath, [join(root, 'src/ingot.js'), 'serve'], {
    cwd: tempDir.dir,
    env: {
      PATH: path,
      HOME: tempDir.dir,
      INGOT_DATA_DIR: dataDir,
      INGOT_DATABASE_URL: databaseUrl,
      INGOT_SERVER_PORT: '0',
      INGOT_SSH_PORT: '0',
      INGOT_LOG_LEVEL: 'info',
      INGOT_RATE_LIMIT_ANONYMOUS_PER_MINUTE: '0',
      INGOT_RATE_LIMIT_PASSWORDS_PER_MINUTE: '0',
      INGOT_WEBHOOK_ALLOWED_HOSTS: 'loopback',
      INGOT_MIGRATIONS_ALLOWED_HOSTS: 'loopback',
      INGOT_SEARCH_CODE_ENABLED: String(codeSearch),
      INGOT_SERVER_WORKERS: String(workers),
      // NOTE: Node numbers the ports of several workers from this one on, and refuses port 1.
      ...(workers === 1 && { NODE_OPTIONS: '--inspect-port=0' }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const { pushTimes, lastLines, inspector } = watchLog(child)
  const { url, adminPassword } = await readWelcome(child, lastLines)
  await fetch(`${url}/api/v1/version`).then((answer) => answer.arrayBuffer())
  const firstAnswerMs = performance.now() - begin
  return {
    url,
    child,
    firstAnswerMs,
    adminPassword,
    takePushTime: () => (pushTimes.length === 0 ? undefined : pushTimes.splice(0).reduce((sum, ms) => sum + ms, 0)),
    inspectorUrl() {
      child.kill('SIGUSR1')
      return inspector
    },
  }
}

/** The welcome text names the address first and the password of the first administrator only on fresh data. */
function readWelcome(
  child: ChildProcess,
  lastLines: readonly string[],
): Promise<{ url: string; adminPassword: string | undefined }> {
  return new Promise((resolve, reject) => {
    let url: string | undefined
    let adminPassword: string | undefined
    child.once('close', (code) =>
      reject(new Error(`the server ended with ${code} before it listened: ${lastLines.join('\n')}`)),
    )
    onLines(child.stdout!, (line) => {
      url ??= /listening at (\S+)/.exec(line)?.[1]
      adminPassword ??= /password: (\S+)/.exec(line)?.[1]
      if (line.startsWith('API reference') && url !== undefined) resolve({ url, adminPassword })
    })
  })
}

const KEPT_LINES = 20

/**
 * The times of pushes as they come by, the last lines in case the server ends by itself, and the address of its
 * inspector once that is started.
 */
function watchLog(child: ChildProcess): { pushTimes: number[]; lastLines: string[]; inspector: Promise<string> } {
  const { promise: inspector, resolve } = Promise.withResolvers<string>()
  const pushTimes: number[] = []
  const lastLines: string[] = []
  onLines(child.stderr!, (line) => {
    lastLines.push(line)
    if (lastLines.length > KEPT_LINES) lastLines.shift()
    const url = /^Debugger listening on (\S+)/.exec(line)?.[1]
    if (url !== undefined) resolve(url)
    const ms = line.includes('/git-receive-pack"') ? /"ms":(\d+)/.exec(line)?.[1] : undefined
    if (ms !== undefined) pushTimes.push(Number(ms))
  })
  return { pushTimes, lastLines, inspector }
}
