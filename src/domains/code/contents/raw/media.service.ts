import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { LfsObjects } from '../../lfs/objects/lfs-objects.service.ts'
import type { Repo } from '../../../repositories/index.ts'
import type { RawFile } from './raw-files.service.ts'

const SNIFF_BYTES = 1024

export type Media = ReturnType<typeof createMedia>

/** Replaces LFS pointers with the objects that they point to. */
export function createMedia(objects: LfsObjects) {
  return {
    /** The object of a pointer if this repository has it, otherwise the file itself. */
    async resolve(repo: Repo, file: RawFile): Promise<RawFile> {
      const object = file.lfs && (await objects.find(repo.id, file.lfs.oid))
      if (object === undefined) return file
      const { oid, size } = object
      const head =
        size === 0
          ? Buffer.alloc(0)
          : await buffer(await objects.open(object, { start: 0, end: Math.min(size, SNIFF_BYTES) - 1 }))
      return {
        ...file,
        oid,
        size,
        head,
        lfs: undefined,
        body: async (range) => (size === 0 ? Readable.from([]) : objects.open(object, range)),
      }
    },
  }
}
