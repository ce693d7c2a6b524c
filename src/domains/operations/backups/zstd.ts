import { promisify } from 'node:util'
import { constants, zstdCompress, zstdDecompress } from 'node:zlib'

export const compress = promisify(zstdCompress)
export const decompress = promisify(zstdDecompress)

/** For what is compressed while commits go on: the fastest level. */
export const QUICK = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }
