import { AccessMode } from '../../../../core/access/repo-access.ts'
import type { Viewer } from '../../../../core/access/viewer.ts'
import type { Core } from '../../../../core/module.ts'
import { asId } from '../../../../core/platform/crypto/ids.ts'
import { type User, userQueries } from '../../../accounts/index.ts'
import { modeOfPackages } from '../../registry/registry-access.ts'
import {
  type ContainerBlob,
  type ContainerManifest,
  findBlob,
  listBlobHolders,
  listImageOwners,
  listImages,
  listReferrers,
  listTags,
} from './images.store.ts'

interface NamePage {
  /** Exclusive; empty for the beginning. */
  readonly after: string
  readonly limit: number
}

export type ImageReads = ReturnType<typeof createImageReads>

const OWNERS_AT_ONCE = 100

/** Lists of images, tags, referrers, and the rights on them. */
export function createImageReads({ database }: Pick<Core, 'database'>) {
  const { read } = database
  const mayRead = async (viewer: Viewer, owner: User): Promise<boolean> =>
    (await modeOfPackages(database, viewer, owner)) >= AccessMode.read

  return {
    tags: (packageId: number, page: NamePage): Promise<string[]> => listTags(read, packageId, page),
    referrers: (packageId: number, subject: string): Promise<ContainerManifest[]> =>
      listReferrers(read, packageId, subject),
    blob: (packageId: number, digest: string): Promise<ContainerBlob | undefined> => findBlob(read, packageId, digest),

    /** Names `owner/image` that the viewer may read, sorted by owner and name. */
    async catalog(viewer: Viewer, { after, limit }: NamePage): Promise<string[]> {
      const [afterOwner = '', ...rest] = after.toLowerCase().split('/')
      const names: string[] = []
      for (let from = afterOwner; names.length < limit;) {
        const owners = await listImageOwners(read, { after: from, limit: OWNERS_AT_ONCE })
        const users = new Map(
          (
            await userQueries.listByIds(
              read,
              owners.map(({ id }) => asId(id)),
            )
          ).map((user) => [user.id as number, user]),
        )
        for (const { id, name } of owners) {
          const user = users.get(id)
          if (names.length >= limit || user === undefined || !(await mayRead(viewer, user))) continue
          const page = { after: name === afterOwner ? rest.join('/') : '', limit: limit - names.length }
          names.push(...(await listImages(read, user.id, page)).map((image) => `${name}/${image}`))
        }
        if (owners.length < OWNERS_AT_ONCE) break
        from = `${owners.at(-1)!.name}\u0001`
      }
      return names
    },

    /**
     * An image with the blob, whose packages the viewer may read: `from` if given, otherwise any. The digest alone does
     * not grant access to the bytes.
     */
    async findMountSource(viewer: Viewer, digest: string, from: string | null): Promise<number | undefined> {
      const [fromOwner = '', ...fromImage] = (from ?? '').split('/')
      for (const holder of await listBlobHolders(read, digest)) {
        const owner = await userQueries.findById(read, asId(holder.owner_id))
        if (owner === undefined || !(await mayRead(viewer, owner))) continue
        if (
          from !== null &&
          (owner.name.toLowerCase() !== fromOwner.toLowerCase() || holder.name !== fromImage.join('/'))
        )
          continue
        return holder.package_id
      }
      return undefined
    },
  }
}
