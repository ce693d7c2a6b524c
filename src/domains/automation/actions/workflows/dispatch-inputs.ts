import { badRequest, invalid } from '../../../../core/platform/errors.ts'
import type { WorkflowInput } from './workflow.policy.ts'

const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d{1,3})?$/i

/**
 * The values of the inputs that a workflow declares, with the defaults of those that are not given; others are left
 * out. An empty value counts as given for texts alone. Throws BadRequest without a required input, and Invalid for a
 * value, also a default, that its type or the options do not allow (behaviour/actions#from-event-to-jobs).
 */
export function readDispatchInputs(
  declared: readonly WorkflowInput[],
  given: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    declared.map((input) => {
      const { name, isRequired, initial = '', type } = input
      const sent = Object.hasOwn(given, name) ? given[name] : undefined
      const value = sent === undefined || (sent === '' && type !== 'string') ? initial : sent
      if (isRequired && value === '') throw badRequest(`missing required input: ${name}`)
      const problem = value === '' ? undefined : problemOf(input, value)
      if (problem !== undefined) throw invalid(`input ${name} ${problem}`)
      return [name, value]
    }),
  )
}

function problemOf({ type, options }: WorkflowInput, value: string): string | undefined {
  if (type === 'boolean') return value === 'true' || value === 'false' ? undefined : 'must be true or false'
  if (type === 'number') return NUMBER.test(value) && Number.isFinite(Number(value)) ? undefined : 'must be a number'
  return type === 'choice' && !options.includes(value) ? 'must be one of its options' : undefined
}
