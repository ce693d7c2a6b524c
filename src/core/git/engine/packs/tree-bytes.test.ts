import fc from 'fast-check'
import { expect, it } from 'vitest'
import { TreeBytes } from './tree-bytes.ts'

const ID_BYTES = 20

interface Item {
  readonly mode: string
  readonly name: string
  readonly id: Uint8Array
}

/** Bytes that rarely occur in ids and names: parts of entries. */
const parts = fc.constantFrom('40000 ', '100644 ', '140000 ', 'a', 't', ' ', '0', '1', '4')
const names = fc
  .array(parts, { minLength: 1, maxLength: 8 })
  .map((list) => list.join(''))
  .filter((name) => name.trim() !== '')
const ids = fc.oneof(
  fc.uint8Array({ minLength: ID_BYTES, maxLength: ID_BYTES }),
  fc
    .array(fc.oneof(parts, fc.constant('\0')), { minLength: ID_BYTES, maxLength: ID_BYTES })
    .map((list) => Buffer.from(list.join('').slice(0, ID_BYTES), 'latin1')),
)
const items = fc.record({ mode: fc.constantFrom('40000', '100644', '100755', '120000'), name: names, id: ids })
const trees = fc
  .uniqueArray(items, { maxLength: 12, selector: ({ name }) => name })
  .map((list) => list.toSorted(inOrder))

const key = ({ mode, name }: Item): string => (mode === '40000' ? `${name}/` : name)
const inOrder = (a: Item, b: Item): number => (key(a) < key(b) ? -1 : 1)
const versionOf = ({ mode, id }: Item): string => `${mode} \0${Buffer.from(id).toString('latin1')}`
const bytesOf = (list: readonly Item[]): Buffer =>
  Buffer.concat(list.flatMap(({ mode, name, id }) => [Buffer.from(`${mode} ${name}\0`, 'latin1'), id]))
const treeOf = (list: readonly Item[]): TreeBytes => new TreeBytes(bytesOf(list), ID_BYTES)

it('finds an entry with any hint, and returns undefined for a missing entry', () => {
  fc.assert(
    fc.property(trees, names, (list, other) => {
      const tree = treeOf(list)
      for (const name of [other, ...list.map((item) => item.name)]) {
        const item = list.find((candidate) => candidate.name === name)
        const found = new Set<string | undefined>()
        for (let hint = -1; hint <= tree.bytes.length; hint++)
          found.add(tree.find(Buffer.from(name, 'latin1'), hint)?.version)
        expect([...found], name).toEqual([item && versionOf(item)])
      }
    }),
    { numRuns: 300 },
  )
})

it('never finds an entry inside the name of another', () => {
  const id = Buffer.alloc(ID_BYTES, 7)
  id[7] = 0
  const list = [
    { mode: '100644', name: 'a', id },
    { mode: '100644', name: 'b40000 t', id },
  ]
  const tree = treeOf(list)
  const inside = tree.bytes.indexOf('40000 t')
  expect(tree.bytes[inside - ID_BYTES - 1]).toBe(0)
  expect(tree.find(Buffer.from('t'), inside)).toBeUndefined()
})

it('lists entries that another tree lacks or has in another version', () => {
  const changes = fc.array(fc.tuple(fc.nat(11), fc.constantFrom('drop', 'change', 'keep'), ids), { maxLength: 4 })
  fc.assert(
    fc.property(trees, changes, trees, (list, edits, added) => {
      let others: Item[] = list
      for (const [index, edit, id] of edits)
        others = others.flatMap((item, at) => {
          if (at !== index || edit === 'keep') return [item]
          return edit === 'drop' ? [] : [{ ...item, id }]
        })
      const free = added.slice(0, 2).filter(({ name }) => !others.some((item) => item.name === name))
      others = [...others, ...free].toSorted(inOrder)
      const seen: string[] = []
      treeOf(list).differences(treeOf(others), (name) => seen.push(name))
      const theirs = new Map(others.map((item) => [item.name, versionOf(item)]))
      expect(seen).toEqual(list.filter((item) => theirs.get(item.name) !== versionOf(item)).map(({ name }) => name))
    }),
    { numRuns: 1000 },
  )
})
