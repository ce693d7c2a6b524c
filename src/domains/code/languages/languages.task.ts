import { type AttributesFile, type CountedFile, createLanguageCounter, type LanguageCounter } from './classify.ts'
import { type ClassifiedFile, classifyFiles } from './classify-files.ts'
import { loadLanguageRules } from './rules.ts'

export type LanguageQuestion =
  | { readonly kind: 'begin'; readonly attributes: readonly AttributesFile[] }
  | { readonly kind: 'names'; readonly files: readonly CountedFile[] }
  | { readonly kind: 'content'; readonly file: CountedFile; readonly content: string }
  | { readonly kind: 'result' }
  | {
      readonly kind: 'classify'
      readonly attributes: readonly AttributesFile[]
      readonly files: readonly ClassifiedFile[]
    }

/** Counts one repository at a time and returns one result for each request; runs in a child process. */
export function createTask(): (question: LanguageQuestion) => unknown {
  const rules = loadLanguageRules()
  let counter: LanguageCounter | undefined
  return (question) => {
    if (question.kind === 'begin') counter = createLanguageCounter(rules, question.attributes)
    else if (question.kind === 'classify') return classifyFiles(rules, question.attributes, question.files)
    else if (question.kind === 'names') return counter!.addByName(question.files)
    else if (question.kind === 'content') counter!.addWithContent(question.file, question.content)
    else return counter!.result()
    return undefined
  }
}
