import type { Db } from '../../../../core/db/database.ts'

/** A version of an image that belongs to a manifest: a signature, a bill of materials. */
interface Attachment {
  readonly packageId: number
  /** The digest of a manifest with a subject, or a tag that is named by the digest, as clients without referrers make. */
  readonly version: string
  /** Whether the image has the manifest. */
  readonly hasSubject: boolean
}

const TAG_OF_DIGEST = /^(sha256|sha512)-([0-9a-f]{64,128})(?:\..+)?$/
/** Databases limit the number of parameters. */
const BATCH = 1000

export async function listAttachments(db: Db, packageIds: readonly number[]): Promise<Attachment[]> {
  const all: Attachment[] = []
  for (let at = 0; at < packageIds.length; at += BATCH) {
    const ids = packageIds.slice(at, at + BATCH)
    const manifests = await db
      .selectFrom('container_manifest')
      .select(['package_id', 'digest', 'subject'])
      .where('package_id', 'in', ids)
      .execute()
    const tags = await db
      .selectFrom('container_tag')
      .select(['package_id', 'name'])
      .where('package_id', 'in', ids)
      .where('name', 'like', 'sha%')
      .execute()
    const known = new Set(manifests.map((one) => `${one.package_id} ${one.digest}`))
    const add = (packageId: number, version: string, subject: string): void => {
      all.push({ packageId, version, hasSubject: known.has(`${packageId} ${subject}`) })
    }
    for (const { package_id: id, digest, subject } of manifests) if (subject !== '') add(id, digest, subject)
    for (const { package_id: id, name } of tags) {
      const [, algorithm, hex] = TAG_OF_DIGEST.exec(name) ?? []
      if (hex !== undefined) add(id, name, `${algorithm}:${hex}`)
    }
  }
  return all
}
