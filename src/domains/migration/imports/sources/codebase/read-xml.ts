import { elementsOf, parseXml } from '../../../../../core/platform/xml.ts'
import { members } from '../../../../../core/platform/json-members.ts'

/**
 * A document of Codebase as JSON would be: lists of elements, objects with members, and texts. Elements without a value
 * (`nil`) are undefined. Throws if the document is malformed.
 */
export function readXml(text: string): unknown {
  const [root = ['', undefined]] = Object.entries(parseXml(text)).filter(([name]) => !name.startsWith('?'))
  const [name, value] = root
  const plain = valueOf(value)
  // Every list names its elements, of which there may be none.
  return Array.isArray(plain) || !name.endsWith('s') ? plain : childrenOf(value)
}

function valueOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(valueOf)
  const element = members(value)
  if (element['@nil'] === 'true') return undefined
  if (element['@type'] === 'array') return childrenOf(value)
  const entries = Object.entries(element).filter(([name]) => !name.startsWith('@'))
  if (entries.every(([name]) => name === '#text')) return element['#text'] ?? ''
  return Object.fromEntries(entries.map(([name, child]) => [name, valueOf(child)]))
}

const childrenOf = (value: unknown): readonly unknown[] =>
  Object.entries(members(value))
    .filter(([name]) => !name.startsWith('@') && name !== '#text')
    .flatMap(([, child]) => elementsOf(child).map(valueOf))
