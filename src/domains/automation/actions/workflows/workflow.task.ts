import { readWorkflow, type Workflow } from './workflow.policy.ts'
import { NO_YAML, parseYaml } from '../../../code/index.ts'

/** Reads the text of a workflow file; undefined for an invalid one. Runs in a child process. */
export const createTask =
  () =>
  (text: string): Workflow | undefined => {
    const parsed = parseYaml(text)
    return parsed === NO_YAML ? undefined : readWorkflow(parsed)
  }
