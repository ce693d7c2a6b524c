import { promisify } from 'node:util'
import { constants, zstdCompress, zstdDecompress } from 'node:zlib'

export const compress = promisify(zstdCompress)
export const decompress = promisify(zstdDecompress)

/** The fastest level, because compression competes with commits. */
export const QUICK = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }
