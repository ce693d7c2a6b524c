// Measures `ingot import server`: fills a server, moves it to another one with the command and the new
// server killed on the way, and compares the two. Options: node bench/server-import.ts --help
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { withCore } from '../src/cli/with-core.ts'
import { loadConfig } from '../src/core/config/index.ts'
import { asId, type RepoId, type UserId } from '../src/core/platform/crypto/ids.ts'
import { issueImports } from '../src/domains/issues/index.ts'
import { recountWrong } from '../src/domains/operations/upkeep/recount.ts'
import { basicHeaders, requireApi } from './api.ts'
import { say } from './run.ts'
import { cpuOf, cpuOfEndedChildren, treeOf } from './system/process-tree.ts'
import { openTempDir, type TempDir } from './system/processes.ts'
import { type OwnServer, startOwn } from './system/target.ts'

const HELP = `node bench/server-import.ts [--repos 200] [--issues 20000] [--comments 20000] [--kills 5]
Every second kill is one of the new server too.`
const ACCOUNTS = 20
const BATCH = 100
const START = Date.UTC(2021, 0, 1)
const PASSWORD = 'of-the-bench-1A'
const POLL_MS = 250
const MAIN = join(import.meta.dirname, '../src/ingot.js')
const TEXT = 'The reader of the list stops at the first page that is not full, and the rest is missing. '.repeat(3)

interface Size {
  readonly repos: number
  readonly issues: number
  readonly comments: number
  readonly kills: number
}

/** Ids. */
interface Filled {
  readonly users: readonly number[]
  readonly repos: readonly number[]
}

interface Account {
  readonly url: string
  readonly token: string
}

const send = <T = { id: number }>({ url, token }: Account, method: string, path: string, body?: object): Promise<T> =>
  requireApi<T>(url, { method, path, headers: { authorization: `token ${token}` }, body })

async function signIn(url: string, login: string, password: string): Promise<Account> {
  const headers = basicHeaders(login, password)
  const body = { name: 'import', scopes: ['all'] }
  const { sha1 } = await requireApi<{ sha1: string }>(url, {
    method: 'POST',
    path: `/users/${login}/tokens`,
    headers,
    body,
  })
  return { url, token: sha1 }
}

const perSecond = (count: number, ms: number): number => Math.round(count / (ms / 1000))

/** Makes accounts and repositories; gives the ids of both. */
async function fillRepos(admin: Account, { repos }: Size): Promise<Filled> {
  // The first administrators of both servers have the same address.
  await send(admin, 'PATCH', '/admin/users/admin', { email: 'admin@example.test' })
  const users: number[] = []
  const writers: Account[] = []
  for (let i = 0; i < ACCOUNTS; i++) {
    const username = `user${i}`
    const body = { username, email: `${username}@example.test`, password: PASSWORD, must_change_password: false }
    users.push((await send(admin, 'POST', '/admin/users', body)).id)
    writers.push(await signIn(admin.url, username, PASSWORD))
  }
  const ids: number[] = []
  for (let i = 0; i < repos; i++) {
    const name = `repo${i}`
    ids.push((await send(writers[i % ACCOUNTS]!, 'POST', '/user/repos', { name, auto_init: true })).id)
  }
  return { users, repos: ids }
}

/** Inserts the issues and comments as an import does, which takes a hundredth of the time of the API. */
async function fillIssues(dataDir: string, { users, repos }: Filled, { issues, comments }: Size): Promise<void> {
  const perRepo = Math.ceil(issues / repos.length)
  const commentsPerIssue = Math.ceil(comments / issues)
  const author = { original_author: '', original_author_id: 0 }
  const config = loadConfig({ environment: {}, flags: { data_dir: dataDir } })
  await withCore(config, async ({ database }) => {
    for (const [place, id] of repos.entries()) {
      const repoId = asId<RepoId>(id)
      const userOf = (i: number): UserId => asId(users[(place + i) % users.length]!)
      for (let from = 1; from <= perRepo; from += BATCH)
        await database.transaction(async (tx) => {
          const numbers = Array.from({ length: Math.min(BATCH, perRepo - from + 1) }, (_, i) => from + i)
          const found = await issueImports.insertIssues(
            tx,
            repoId,
            numbers.map((number) => ({
              number,
              isPull: false,
              isClosed: number % 3 === 0,
              isLocked: false,
              authorId: userOf(number),
              author,
              title: `Issue ${number}`,
              body: TEXT,
              ref: '',
              milestoneId: undefined,
              dueAt: undefined,
              createdAt: START + number * 1000,
              updatedAt: START + number * 1000,
              closedAt: undefined,
              pinOrder: 0,
              timeEstimate: 0,
              labelIds: [],
              assigneeIds: [],
            })),
          )
          for (let i = 0; i < commentsPerIssue; i++)
            await issueImports.insertEntries(
              tx,
              [...found].map(([number, issueId]) => {
                const at = START + number * 1000 + i * 60_000
                const times = { createdAt: at, updatedAt: at }
                return { kind: 'comment', issueId, repoId, actorId: userOf(i), author, ...times, body: `${i}: ${TEXT}` }
              }),
            )
          await issueImports.recountComments(tx, [...found.values()])
          await issueImports.complete(tx, repoId, 0)
        })
    }
    await recountWrong(database)
  })
}

/** Memory of a process in MB, without that of its children; 0 if it has ended. */
const residentOf = (pid: number): number => treeOf(pid)[0]?.resident ?? 0

interface Used {
  ms: number
  cpu: number
  serverPeak: number
  commandPeak: number
  /** Time of a second run, when nothing has changed. */
  againMs: number
}

/** Moves the servers; gives the time without that of the restarts. */
async function move(tempDir: TempDir, { url: from, token }: Account, size: Size): Promise<Used & { idle: number }> {
  const dataDir = join(tempDir.dir, 'target')
  const tokenFile = join(tempDir.dir, 'token')
  writeFileSync(tokenFile, token)
  let server = await startOwn(tempDir, { dataDir })
  const admin = await signIn(server.url, 'admin', server.adminPassword!)
  const before = cpuOfEndedChildren() + cpuOf(server.child.pid!)
  const idle = residentOf(server.child.pid!)
  const used: Used = { ms: 0, cpu: 0, serverPeak: 0, commandPeak: 0, againMs: 0 }
  const command = (name: string): string[] => [
    MAIN,
    'import',
    name,
    '--from',
    from,
    '--token-file',
    tokenFile,
    '--to',
    server.url,
    '--data-dir',
    dataDir,
  ]
  // Both servers have an account of this name.
  const rename = ['--rename', 'admin=admin-of-old']
  for (let kill = 1; kill <= size.kills + 1; kill++) {
    const enough = kill > size.kills ? undefined : Math.ceil((size.repos * kill) / (size.kills + 1))
    const begin = performance.now()
    const child = tempDir.start(process.execPath, [...command('server'), ...rename], {
      env: { PATH: process.env['PATH'], INGOT_MIGRATIONS_ALLOWED_HOSTS: 'loopback' },
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    const closed = once(child, 'close')
    while (child.exitCode === null && child.signalCode === null) {
      await Promise.race([closed, sleep(POLL_MS)])
      if (child.exitCode !== null) break
      used.commandPeak = Math.max(used.commandPeak, residentOf(child.pid!))
      used.serverPeak = Math.max(used.serverPeak, residentOf(server.child.pid!))
      const { length } = await reposAt(server, admin.token)
      if (enough !== undefined && length >= enough) child.kill('SIGKILL')
    }
    await closed
    used.ms += performance.now() - begin
    if (enough === undefined) {
      if (child.exitCode === null || child.exitCode === 1) throw new Error(`the import ended with ${child.exitCode}`)
    } else if (kill % 2 === 0) {
      say(`kill ${kill}: of the command and the server`)
      server.child.kill('SIGKILL')
      await once(server.child, 'exit')
      server = await startOwn(tempDir, { dataDir })
    } else say(`kill ${kill}: of the command`)
  }
  used.cpu = cpuOfEndedChildren() + cpuOf(server.child.pid!) - before
  const begin = performance.now()
  const again = tempDir.start(process.execPath, [...command('server'), ...rename], {
    env: { PATH: process.env['PATH'], INGOT_MIGRATIONS_ALLOWED_HOSTS: 'loopback' },
    stdio: 'ignore',
  })
  await once(again, 'close')
  used.againMs = performance.now() - begin
  say(await tempDir.read(process.execPath, command('verify'), { env: { INGOT_MIGRATIONS_ALLOWED_HOSTS: 'loopback' } }))
  return { ...used, idle }
}

async function reposAt({ url }: OwnServer, token: string): Promise<{ length: number }> {
  const answer = await fetch(`${url}/api/v1/repos/search?limit=1`, { headers: { authorization: `token ${token}` } })
  await answer.arrayBuffer()
  return { length: Number(answer.headers.get('x-total-count')) }
}

async function main(size: Size): Promise<void> {
  const tempDir = openTempDir()
  const interrupt = (): void => void tempDir.close().then(() => process.exit(130))
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  try {
    const dataDir = join(tempDir.dir, 'source')
    const empty = await startOwn(tempDir, { dataDir })
    const { token } = await signIn(empty.url, 'admin', empty.adminPassword!)
    const filled = await fillRepos({ url: empty.url, token }, size)
    await tempDir.stop(empty.child)
    await fillIssues(dataDir, filled, size)
    say('the other server is filled')
    const source = await startOwn(tempDir, { dataDir })
    const admin = { url: source.url, token }
    const before = cpuOf(source.child.pid!)
    const { ms, cpu, serverPeak, commandPeak, againMs, idle } = await move(tempDir, admin, size)
    const objects = size.repos + size.issues + size.comments + 2 * size.repos
    const sourceCpu = cpuOf(source.child.pid!) - before
    console.log(
      `${objects} objects in ${Math.round(ms / 1000)} s with ${size.kills} kills: ${perSecond(objects, ms)}/s`,
    )
    console.log(
      `CPU: ${Math.round(cpu / 1000)} s of the command and the new server (${perSecond(objects, cpu)} objects/s), ${Math.round(sourceCpu / 1000)} s of the other server`,
    )
    console.log(`a second run, when nothing has changed: ${Math.round(againMs / 1000)} s`)
    console.log(
      `memory: new server ${Math.round(serverPeak)} MB at its highest (${Math.round(idle)} MB idle), command ${Math.round(commandPeak)} MB`,
    )
  } finally {
    await tempDir.close()
  }
}

const { values } = parseArgs({
  options: {
    repos: { type: 'string', default: '200' },
    issues: { type: 'string', default: '20000' },
    comments: { type: 'string', default: '20000' },
    kills: { type: 'string', default: '5' },
    help: { type: 'boolean' },
  },
})
if (values.help === true) console.log(HELP)
else {
  const { repos, issues, comments, kills } = values
  await main({ repos: Number(repos), issues: Number(issues), comments: Number(comments), kills: Number(kills) })
}
