// Fills a data directory with the rows of `listSize`, in a process of its own: `node bench/data/fill-lists.ts DATA_DIR
// SCALE`. The repositories are empty, and one directory on disk is that of all of them: the server looks at each when
// it starts.
import { symlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { DEFAULT_UNITS } from '../../src/core/access/repo-access.ts'
import type { CoreApp } from '../../src/app/modules.ts'
import { withCore } from '../../src/cli/with-core.ts'
import { loadConfig } from '../../src/core/config/index.ts'
import type { Database, Tx } from '../../src/core/db/database.ts'
import type { RepoId, UserId } from '../../src/core/platform/crypto/ids.ts'
import { insertRepo } from '../../src/domains/repositories/repos/repo.store.ts'
import { recountWrong } from '../../src/domains/operations/upkeep/recount.ts'
import { insertEmail } from '../../src/domains/accounts/users/emails/email.store.ts'
import { insertUser } from '../../src/domains/accounts/users/user.store.ts'
import { HUB_SHARE, listRepo, listSize, listUser, type ListSize } from './list-size.ts'

const [dataDir, scale] = process.argv.slice(2)
const BATCH = 500
const WORDS = ['compiler', 'editor', 'parser', 'server', 'tools', 'website', 'notes', 'driver']
const START = Date.UTC(2020, 0, 1)

async function fill({ database, git }: Pick<CoreApp, 'database' | 'git'>, size: ListSize): Promise<void> {
  await git.createRepo(storageOf(0), { objectFormat: 'sha1', defaultBranch: 'main' })
  for (let i = 1; i < size.repos; i++)
    await symlink(`${basename(storageOf(0))}.git`, join(dataDir!, 'git', 'repos', `${storageOf(i)}.git`))
  const users: UserId[] = []
  const repos: RepoId[] = []
  await inBatches(database, size.users, async (tx, i) => void users.push(await addUser(tx, i)))
  await inBatches(
    database,
    size.repos,
    async (tx, i) => void repos.push(await addRepo(tx, i, users[i % users.length]!)),
  )
  await inBatches(database, size.ties, (tx, i) => addTies(tx, i, { users, repos }))
  await recountWrong(database)
}

async function inBatches(database: Database, count: number, add: (tx: Tx, i: number) => Promise<void>): Promise<void> {
  for (let from = 0; from < count; from += BATCH) {
    await database.transaction(async (tx) => {
      for (let i = from; i < Math.min(count, from + BATCH); i++) await add(tx, i)
    })
  }
}

async function addUser(tx: Tx, i: number): Promise<UserId> {
  const name = listUser(i)
  const email = `${name}@example.org`
  const id = await insertUser(tx, {
    kind: 'individual',
    name,
    lower_name: name,
    full_name: `Listed User ${i}`,
    email,
    created_at: START + i,
    updated_at: START + i,
  })
  await insertEmail(tx, id, email, { isPrimary: true, isActivated: true })
  return id
}

const storageOf = (i: number): string => `00/${String(i).padStart(32, '0')}`

function addRepo(tx: Tx, i: number, owner: UserId): Promise<RepoId> {
  const name = listRepo(i)
  return insertRepo(tx, {
    owner_id: owner,
    name,
    lower_name: name,
    description: `A ${WORDS[i % WORDS.length]!} for the lists`,
    default_branch: 'main',
    wiki_branch: 'main',
    object_format: 'sha1',
    storage: storageOf(i),
    units: DEFAULT_UNITS.normal,
    created_at: START + i,
    updated_at: START + i,
  })
}

/** The i-th follow and the i-th star: the first ones lead to and from the hubs, the others are spread. */
async function addTies(
  tx: Tx,
  i: number,
  { users, repos }: { users: readonly UserId[]; repos: readonly RepoId[] },
): Promise<void> {
  const hub = Math.floor(users.length / HUB_SHARE)
  const from = i < 2 * hub ? (i < hub ? i + 1 : 0) : i % users.length
  const to = i < 2 * hub ? (i < hub ? 0 : i - hub + 1) : (i * 7919 + Math.floor(i / users.length)) % users.length
  const at = START + i
  if (from !== to)
    await tx
      .insertInto('follow')
      .values({ user_id: users[from]!, followed_id: users[to]!, created_at: at })
      .onConflict((on) => on.doNothing())
      .execute()
  await tx
    .insertInto('star')
    .values({ user_id: users[from]!, repo_id: repos[to % repos.length]!, created_at: at })
    .onConflict((on) => on.doNothing())
    .execute()
}

await withCore(loadConfig({ environment: process.env, flags: { data_dir: dataDir } }), (core) =>
  fill(core, listSize(Number(scale))),
)
