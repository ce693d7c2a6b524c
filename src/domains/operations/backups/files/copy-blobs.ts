import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ifGone } from '../../../../core/platform/files/gone.ts'
import { copyFile, type UnitCopy } from './copy-unit.ts'
import { OBJECTS } from './layout.ts'
import { entriesOf } from './unit.ts'

const SHARD = /^[0-9a-f]{2}$/
const HASH = /^[0-9a-f]{64}$/
/** A directory that was changed so lately may change again within the resolution of its time. */
const YOUNG_MS = 2_000

/** Copies the blobs in the data directory that the copy lacks. It lists only directories that changed. */
export class BlobCopier {
  readonly #deps: UnitCopy
  /** Directory → its time when all of it was copied. */
  readonly #seen = new Map<string, number>()

  constructor(deps: UnitCopy) {
    this.#deps = deps
  }

  /** The next pass lists all directories. */
  forget(): void {
    this.#seen.clear()
  }

  async copy(): Promise<void> {
    const { dataDir } = this.#deps
    for (const store of await entriesOf(join(dataDir, 'blobs')))
      for (const first of await entriesOf(join(dataDir, 'blobs', store.name))) {
        if (!SHARD.test(first.name)) continue
        const parent = `blobs/${store.name}/${first.name}`
        for (const second of await entriesOf(join(dataDir, parent)))
          if (SHARD.test(second.name)) await this.#copyFolder(`${parent}/${second.name}`)
      }
  }

  async #copyFolder(path: string): Promise<void> {
    const { dataDir, clock, place } = this.#deps
    const now = clock.now()
    const time = (await stat(join(dataDir, path)).catch(ifGone(undefined)))?.mtimeMs
    if (time === undefined || this.#seen.get(path) === time) return
    const there = new Set<string>()
    for await (const { name } of place.list(`${OBJECTS}${path}/`)) there.add(name.split('/').at(-1)!)
    for (const { name } of await entriesOf(join(dataDir, path)))
      if (HASH.test(name) && !there.has(name)) await copyFile(this.#deps, `${path}/${name}`)
    if (now - time > YOUNG_MS) this.#seen.set(path, time)
  }
}
