import { UnsupportedError } from '../packs/unsupported-error.ts'

/** `CGPH`. */
const SIGNATURE = 0x43475048
const HEADER_BYTES = 8
const ENTRY_BYTES = 12
const FANOUT_BYTES = 256 * 4
const BLOOM_HEADER_BYTES = 12

interface Chunk {
  readonly at: number
  readonly length: number
}

/** Settings of the changed-path filters of one file. */
interface BloomSettings {
  /** 1 or 2: the hashing of bytes above 127. */
  readonly version: number
  readonly hashes: number
}

/** A changed-path filter: the bytes of the file from `start` to `end`. */
export interface Filter extends BloomSettings {
  readonly data: Buffer
  readonly start: number
  readonly end: number
}

/** One commit-graph file (gitformat-commit-graph): a whole graph or one file of a chain. Positions count from 0. */
export interface GraphLayer {
  readonly data: Buffer
  readonly idBytes: number
  readonly count: number
  /** The number of files below this one in the chain. */
  readonly bases: number
  /** Offsets of the ids, commit data, generation data and further parents; 0 if absent. */
  readonly ids: number
  readonly commits: number
  readonly generations: number
  readonly overflow: Chunk | undefined
  readonly edges: Chunk | undefined
  readonly fanout: number
  readonly filterIndex: number
  readonly filters: Chunk | undefined
  readonly bloom: BloomSettings | undefined
}

/** Throws UnsupportedError if the data is not a commit-graph file or is truncated. */
export function parseGraphLayer(data: Buffer, idBytes: number): GraphLayer {
  if (data.length < HEADER_BYTES + ENTRY_BYTES + idBytes || data.readUInt32BE(0) !== SIGNATURE || data[4] !== 1)
    throw new UnsupportedError('not a commit-graph file of version 1')
  if (data[5] !== (idBytes === 20 ? 1 : 2)) throw new UnsupportedError('the commit-graph uses another hash')
  const chunks = readChunks(data, data.length - idBytes)
  const required = (id: string, length: number): number => requireChunk(chunks, id, length).at
  const fanout = required('OIDF', FANOUT_BYTES)
  const count = data.readUInt32BE(fanout + FANOUT_BYTES - 4)
  const bloomData = chunks.get('BDAT')
  const hasBloom = bloomData !== undefined && bloomData.length >= BLOOM_HEADER_BYTES && chunks.has('BIDX')
  return {
    data,
    idBytes,
    count,
    bases: data[7]!,
    fanout,
    ids: required('OIDL', count * idBytes),
    commits: required('CDAT', count * (idBytes + 16)),
    generations: chunks.has('GDA2') ? required('GDA2', count * 4) : 0,
    overflow: chunks.get('GDO2'),
    edges: chunks.get('EDGE'),
    filterIndex: hasBloom ? required('BIDX', count * 4) : 0,
    filters: bloomData && { at: bloomData.at + BLOOM_HEADER_BYTES, length: bloomData.length - BLOOM_HEADER_BYTES },
    bloom: hasBloom ? bloomSettings(data, bloomData.at) : undefined,
  }
}

function readChunks(data: Buffer, end: number): ReadonlyMap<string, Chunk> {
  const count = data[6]!
  const chunks = new Map<string, Chunk>()
  if (HEADER_BYTES + (count + 1) * ENTRY_BYTES > end) throw new UnsupportedError('a commit-graph file is truncated')
  for (let index = 0; index < count; index++) {
    const entry = HEADER_BYTES + index * ENTRY_BYTES
    const at = readUint64(data, entry + 4)
    const next = readUint64(data, entry + ENTRY_BYTES + 4)
    if (!(at <= next && next <= end)) throw new UnsupportedError('a chunk is outside of its commit-graph file')
    chunks.set(data.toString('latin1', entry, entry + 4), { at, length: next - at })
  }
  return chunks
}

function requireChunk(chunks: ReadonlyMap<string, Chunk>, id: string, length: number): Chunk {
  const chunk = chunks.get(id)
  if (!chunk || chunk.length < length) throw new UnsupportedError(`a commit-graph file has no whole chunk ${id}`)
  return chunk
}

/** Undefined for unknown versions, whose filters are not used. */
function bloomSettings(data: Buffer, at: number): BloomSettings | undefined {
  const version = data.readUInt32BE(at)
  const hashes = data.readUInt32BE(at + 4)
  return (version === 1 || version === 2) && hashes <= 32 ? { version, hashes } : undefined
}

export function readUint64(data: Buffer, at: number): number {
  return data.readUInt32BE(at) * 2 ** 32 + data.readUInt32BE(at + 4)
}

/** The position of a commit in the file; undefined if it is not there. */
export function findInLayer({ data, idBytes, fanout, ids }: GraphLayer, id: Buffer): number | undefined {
  let low = id[0] === 0 ? 0 : data.readUInt32BE(fanout + (id[0]! - 1) * 4)
  let high = data.readUInt32BE(fanout + id[0]! * 4)
  while (low < high) {
    const middle = (low + high) >>> 1
    const at = ids + middle * idBytes
    const order = data.compare(id, 0, idBytes, at, at + idBytes)
    if (order === 0) return middle
    if (order < 0) low = middle + 1
    else high = middle
  }
  return undefined
}

/** The changed-path filter of a commit; undefined if none was computed. */
export function filterOf(layer: GraphLayer, index: number): Filter | undefined {
  const { data, filterIndex, filters, bloom } = layer
  if (!bloom || !filters) return undefined
  const start = index === 0 ? 0 : data.readUInt32BE(filterIndex + (index - 1) * 4)
  const end = data.readUInt32BE(filterIndex + index * 4)
  if (start >= end || end > filters.length) return undefined
  const { version, hashes } = bloom
  return { version, hashes, data, start: filters.at + start, end: filters.at + end }
}
