import { freePort } from './free-port.ts'
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import pg from 'pg'

export interface TestPostgres {
  /** Address of the server, without a database name. */
  readonly url: string
  createDatabase(name: string): Promise<void>
  stop(): Promise<void>
  /** After stop: at the same address, with what it had. */
  start(): Promise<void>
}

const USER = 'ingot'
const START_DEADLINE_MS = 20_000

/** A real PostgreSQL server of its own in `dir`, or undefined where the machine has none. */
export async function startPostgres(dir: string): Promise<TestPostgres | undefined> {
  const bin = findBinaries()
  if (bin === undefined) return undefined
  const owner = process.getuid?.() === 0 ? unprivilegedUser() : undefined
  mkdirSync(dir, { recursive: true })
  if (owner) for (const path of [dirname(dir), dir]) chownSync(path, owner.uid, owner.gid)
  execFileSync(join(bin, 'initdb'), ['-D', dir, '-U', USER, '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'], {
    stdio: 'ignore',
    ...owner,
  })
  const port = await freePort()
  const settings = [
    'fsync=off',
    'synchronous_commit=off',
    'full_page_writes=off',
    // Background work would take time from the tests, and change plans in the middle of one.
    'autovacuum=off',
    'checkpoint_timeout=1h',
    'max_wal_size=1GB',
    'max_connections=300',
    `unix_socket_directories=${dir}`,
    'listen_addresses=127.0.0.1',
  ]
  const url = `postgres://${USER}@127.0.0.1:${port}`
  let server: ChildProcess
  const start = async (): Promise<void> => {
    server = spawn(
      join(bin, 'postgres'),
      ['-D', dir, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
      { stdio: 'ignore', ...owner },
    )
    await waitForAnswer(`${url}/postgres`)
  }
  await start()
  return {
    url,
    createDatabase: (name) => withClient(`${url}/postgres`, (client) => client.query(`create database ${name}`)),
    stop: () => stop(server),
    start,
  }
}

export interface MadeDatabase {
  readonly url: string
  drop(): Promise<void>
}

/** A fresh copy of the migrated template. */
export const copyTemplate = (serverUrl: string, name: string): Promise<MadeDatabase> =>
  createFrom(serverUrl, name, 'ingot_template')

/** A database without tables. */
export const createEmpty = (serverUrl: string, name: string): Promise<MadeDatabase> =>
  createFrom(serverUrl, name, 'template1')

async function createFrom(serverUrl: string, name: string, template: string): Promise<MadeDatabase> {
  // NOTE: copying files takes half the time of writing each block to the log.
  const statement = `create database ${name} template ${template} strategy file_copy`
  await withClient(`${serverUrl}/postgres`, (client) => client.query(statement))
  return {
    url: `${serverUrl}/${name}`,
    drop: () => withClient(`${serverUrl}/postgres`, (client) => client.query(`drop database ${name} with (force)`)),
  }
}

function findBinaries(): string | undefined {
  const directories = [
    ...(process.env['PATH'] ?? '').split(':'),
    ...['17', '16', '15', '14'].map((version) => `/usr/lib/postgresql/${version}/bin`),
  ]
  return directories.find(
    (directory) => existsSync(join(directory, 'initdb')) && existsSync(join(directory, 'postgres')),
  )
}

/** PostgreSQL refuses to run as root. */
function unprivilegedUser(): { uid: number; gid: number } {
  const lines = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  const entry = lines.find((fields) => fields[0] === 'postgres') ?? lines.find((fields) => fields[0] === 'nobody')
  return { uid: Number(entry?.[2]), gid: Number(entry?.[3]) }
}

async function waitForAnswer(url: string): Promise<void> {
  const end = Date.now() + START_DEADLINE_MS
  for (;;) {
    try {
      await withClient(url, (client) => client.query('select 1'))
      return
    } catch (error) {
      if (Date.now() > end) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

async function withClient(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

function stop(server: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (server.exitCode !== null || server.signalCode !== null) return resolve()
    server.on('exit', () => resolve())
    server.kill('SIGINT')
  })
}
