import type { EditorConfig } from './editorconfig.model.ts'
import type { EditorProperties } from './editorconfig.ts'

const TEXTS = ['charset', 'indent_style', 'indent_size', 'end_of_line', 'max_line_length'] as const
const FLAGS = ['trim_trailing_whitespace', 'insert_final_newline'] as const

/** COMPAT: a flag that is off is absent, like a property that does not apply (test/code/compare.test.ts). */
export function presentEditorConfig(properties: EditorProperties): EditorConfig {
  const width = Number(properties['tab_width'])
  return {
    ...Object.fromEntries(TEXTS.flatMap((name) => (properties[name] === undefined ? [] : [[name, properties[name]]]))),
    ...(Number.isSafeInteger(width) && { tab_width: width }),
    ...Object.fromEntries(FLAGS.flatMap((name) => (properties[name] === 'true' ? [[name, true]] : []))),
  }
}
