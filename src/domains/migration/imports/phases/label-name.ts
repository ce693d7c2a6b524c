import { NAME_LENGTH } from '../../../../core/http/body/limits.ts'
import { cleanText } from './clean-values.ts'

/** The name of a label as it is stored; a longer one is cut, in labels and in what names them. */
export const labelName = (name: string): string => cleanText(name).slice(0, NAME_LENGTH).toWellFormed()
