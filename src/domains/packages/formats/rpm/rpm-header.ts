/** The tags of a header that indexes show (rpm.org, package format V4). */
export const TAG = {
  name: 1000,
  version: 1001,
  release: 1002,
  epoch: 1003,
  summary: 1004,
  description: 1005,
  buildTime: 1006,
  buildHost: 1007,
  size: 1009,
  vendor: 1011,
  license: 1014,
  packager: 1015,
  group: 1016,
  url: 1020,
  arch: 1022,
  fileModes: 1030,
  fileFlags: 1037,
  sourceRpm: 1044,
  archiveSize: 1046,
  provides: 1047,
  requires: 1049,
  conflicts: 1054,
  changelogTime: 1080,
  changelogName: 1081,
  changelogText: 1082,
  obsoletes: 1090,
  dirIndexes: 1116,
  baseNames: 1117,
  dirNames: 1118,
  /** In place of `size` from 4 GiB on. */
  longSize: 5009,
} as const

/** Tags of the header with the signatures. */
const SIGNATURE_TAG = { longArchiveSize: 271, archiveSize: 1007 } as const

/** Flags and versions of the relations of a package, by the tag of their names. */
export const RELATIONS = [
  { element: 'provides', names: 1047, flags: 1112, versions: 1113 },
  { element: 'requires', names: 1049, flags: 1048, versions: 1050 },
  { element: 'conflicts', names: 1054, flags: 1053, versions: 1055 },
  { element: 'obsoletes', names: 1090, flags: 1114, versions: 1115 },
  { element: 'recommends', names: 5046, flags: 5048, versions: 5047 },
  { element: 'suggests', names: 5049, flags: 5051, versions: 5050 },
  { element: 'supplements', names: 5052, flags: 5054, versions: 5053 },
  { element: 'enhances', names: 5055, flags: 5057, versions: 5056 },
] as const

export interface RpmHeader {
  /** Bytes of the header in the file. */
  readonly start: number
  readonly end: number
  /** Of the payload without compression, in bytes; 0 if it is not known. */
  readonly archiveSize: number
  text(tag: number): string
  texts(tag: number): readonly string[]
  numbers(tag: number): readonly number[]
}

const LEAD = 96
const INTRO = 16
const ENTRY = 16
const MAX_ENTRIES = 10_000
const MAX_STORE = 14 * 1024 * 1024
/** Maximum number of values of one tag, and so of files of a package. */
const MAX_COUNT = 100_000

const NOT_A_PACKAGE = 'the file is not an RPM package'

/** The header of a package, from its first bytes. Throws for an invalid package. */
export function readRpmHeader(bytes: Buffer): RpmHeader {
  if (bytes.length < LEAD + INTRO || bytes.readUInt32BE(0) !== 0xedabeedb) throw new Error(NOT_A_PACKAGE)
  const section = sectionAt(bytes, LEAD)
  const signature = headerOf(bytes, section)
  const header = headerOf(bytes, sectionAt(bytes, Math.ceil(section.end / 8) * 8))
  const [archiveSize = 0] = [
    ...signature.numbers(SIGNATURE_TAG.longArchiveSize),
    ...signature.numbers(SIGNATURE_TAG.archiveSize),
    ...header.numbers(TAG.archiveSize),
  ]
  return { ...header, archiveSize }
}

interface Section {
  readonly start: number
  readonly end: number
  readonly entries: number
  /** Position of the values. */
  readonly store: number
}

function sectionAt(bytes: Buffer, start: number): Section {
  if (start + INTRO > bytes.length || bytes.readUIntBE(start, 4) !== 0x8eade801) throw new Error(NOT_A_PACKAGE)
  const entries = bytes.readUInt32BE(start + 8)
  const size = bytes.readUInt32BE(start + 12)
  const store = start + INTRO + entries * ENTRY
  if (entries > MAX_ENTRIES || size > MAX_STORE) throw new Error('the header of the package is too large')
  if (store + size > bytes.length) throw new Error(NOT_A_PACKAGE)
  return { start, end: store + size, entries, store }
}

interface Value {
  readonly type: number
  readonly offset: number
  readonly count: number
}

/** Sizes of the types of numbers, in bytes. */
const WIDTH: Readonly<Record<number, number>> = { 1: 1, 2: 1, 3: 2, 4: 4, 5: 8 }
const TEXTS = new Set([6, 8, 9])

function headerOf(bytes: Buffer, { start, end, entries, store }: Section): Omit<RpmHeader, 'archiveSize'> {
  const values = new Map<number, Value>()
  for (let index = 0; index < entries; index++) {
    const at = start + INTRO + index * ENTRY
    const [tag, type, offset, count] = [0, 4, 8, 12].map((place) => bytes.readUInt32BE(at + place)) as [
      number,
      number,
      number,
      number,
    ]
    values.set(tag, { type, offset: store + offset, count })
  }

  function texts(tag: number): readonly string[] {
    const value = values.get(tag)
    if (value === undefined || !TEXTS.has(value.type)) return []
    if (value.count > MAX_COUNT) throw new Error('the header of the package is too large')
    const found: string[] = []
    for (let at = value.offset; found.length < value.count;) {
      const zero = bytes.indexOf(0, at)
      if (zero === -1 || zero >= end) throw new Error(NOT_A_PACKAGE)
      found.push(bytes.toString('utf8', at, zero))
      at = zero + 1
    }
    return found
  }

  function numbers(tag: number): readonly number[] {
    const value = values.get(tag)
    const width = value && WIDTH[value.type]
    if (value === undefined || width === undefined) return []
    if (value.count > MAX_COUNT) throw new Error('the header of the package is too large')
    if (value.offset + value.count * width > end) throw new Error(NOT_A_PACKAGE)
    return Array.from({ length: value.count }, (_, index) => {
      const at = value.offset + index * width
      return width === 8 ? Number(bytes.readBigUInt64BE(at)) : bytes.readUIntBE(at, width)
    })
  }

  return { start, end, texts, numbers, text: (tag) => texts(tag)[0] ?? '' }
}
