import { XMLParser } from 'fast-xml-parser'
import { listOf, members, type Members, textOf } from './json-members.ts'

const MAX_DEPTH = 50

/**
 * The root element of a document as an object: elements by name, attributes with `@` before their names, texts as they
 * are. Throws if the document is malformed. Call it in a task, unless the text is short.
 */
export function parseXml(text: string): Members {
  // Of entities, only those of XML itself are needed.
  if (/<!DOCTYPE/i.test(text)) throw new Error('the XML has a document type definition')
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    parseTagValue: false,
    ignoreDeclaration: true,
    ignorePiTags: true,
    removeNSPrefix: true,
    maxNestedTags: MAX_DEPTH,
  })
  try {
    return members(parser.parse(text, true))
  } catch (error) {
    throw new Error(`the XML is malformed: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}

/** The elements of one name, which the parser returns as a list only if there are several. */
export const elementsOf = (value: unknown): readonly unknown[] =>
  value === undefined || value === '' ? [] : Array.isArray(value) ? listOf(value) : [value]

/** The text of an element, with attributes or without. */
export const textOfElement = (value: unknown, maxLength: number): string =>
  textOf(typeof value === 'object' ? members(value)['#text'] : value, maxLength).trim()
