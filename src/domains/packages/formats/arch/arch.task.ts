import { decompress } from '../../registry/archives/decompress.ts'
import { type ArchPackage, readArchPackage } from './arch-package.ts'

const MAX_SIZE = 256 * 1024 * 1024

/** Reads a whole package that is compressed by xz. Runs in a child process. */
export const createTask =
  () =>
  async (bytes: Uint8Array): Promise<ArchPackage> => {
    const archive = await decompress(bytes, MAX_SIZE)
    return readArchPackage(
      (async function* () {
        yield archive
      })(),
    )
  }
