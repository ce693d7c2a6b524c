import type { App } from '../../src/app/modules.ts'
import type { SignedIn } from '../../src/core/access/viewer.ts'
import type { User } from '../../src/domains/accounts/index.ts'

const SUMS = { md5: 'a1', sha1: 'b2', sha256: 'c3', sha512: 'd4' }

interface NewVersion {
  readonly ownerId: number
  readonly creatorId: number
  readonly name: string
  readonly version: string
  readonly type?: string
  /** Names of the files of each package; `{name}.tgz` if absent. */
  readonly files?: readonly string[]
}

/** Rows as a registry writes them, without bytes. */
export async function addPackageVersion(
  { database }: Pick<App, 'database'>,
  { ownerId, creatorId, name, version, type = 'npm', files = [`${name}.tgz`] }: NewVersion,
): Promise<void> {
  await database.transaction(async (tx) => {
    const key = { owner_id: ownerId, type, lower_name: name.toLowerCase() }
    await tx
      .insertInto('package')
      .values({ ...key, name })
      .onConflict((on) => on.columns(['owner_id', 'type', 'lower_name']).doNothing())
      .execute()
    const { id } = await tx
      .selectFrom('package')
      .select('id')
      .where('owner_id', '=', ownerId)
      .where('type', '=', type)
      .where('lower_name', '=', key.lower_name)
      .executeTakeFirstOrThrow()
    const made = {
      package_id: id,
      creator_id: creatorId,
      version,
      lower_version: version.toLowerCase(),
      created_at: 86_400_000,
    }
    const row = await tx.insertInto('package_version').values(made).returning('id').executeTakeFirstOrThrow()
    const size = 1_000 * version.length
    await tx
      .insertInto('package_file')
      .values(files.map((file) => ({ version_id: row.id, name: file, size, ...SUMS })))
      .execute()
  })
}

/** A rule that deletes every version. */
export async function addCleanupRule(
  { database }: Pick<App, 'database'>,
  ownerId: number,
  type: string,
): Promise<void> {
  const rule = { keep_count: 0, keep_pattern: '', remove_days: 1, remove_pattern: '', matches_full_name: 0 } as const
  const author = { author_id: ownerId, restriction: '', created_at: 0, updated_at: 0 }
  await database.transaction(async (tx) => {
    await tx
      .insertInto('package_cleanup_rule')
      .values({ owner_id: ownerId, type, is_enabled: 1, ...rule, ...author })
      .execute()
  })
}

/** An upstream without copies. */
export async function addUpstream({ database }: Pick<App, 'database'>, ownerId: number, type: string): Promise<void> {
  const row = { url: 'https://registry.example.test', credentials: '', allowed: '[]', min_age_days: 0 }
  await database.transaction(async (tx) => {
    await tx
      .insertInto('package_upstream')
      .values({ ...row, owner_id: ownerId, type, is_offline: 0, created_at: 0, updated_at: 0 })
      .execute()
  })
}

interface NewRelease {
  readonly type: string
  readonly name: string
  readonly version: string
}

/** Publishes a version with one file of three bytes as the registries do. */
export async function publishPackage(
  { packageContents }: Pick<App, 'packageContents'>,
  actor: SignedIn,
  owner: User,
  release: NewRelease,
): Promise<void> {
  await packageContents.withHold(async (hold) => {
    const content = await hold.receive([Buffer.from('abc')])
    await packageContents.publish(actor, owner, { ...release, files: [{ name: 'tool.tgz', content }] })
  })
}
