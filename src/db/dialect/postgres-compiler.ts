import {
  OperatorNode,
  PostgresQueryCompiler,
  PrimitiveValueListNode,
  TupleNode,
  ValueNode,
  type BinaryOperationNode,
  type LimitNode,
  type OffsetNode,
} from 'kysely'

const ARRAY_OPERATORS: Readonly<Record<string, string>> = { in: '= any', 'not in': '<> all' }

/**
 * Writes texts that do not change with the number of values, so that few statements are prepared: a list is one
 * parameter. Limits are written out: the planner needs them, and there are few of them. For an offset that it does not
 * see the planner expects a tenth of all rows to be skipped, and so plans first pages anew at each execution.
 */
export class PostgresCompiler extends PostgresQueryCompiler {
  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const { leftOperand, operator, rightOperand } = node
    const array = OperatorNode.is(operator) ? ARRAY_OPERATORS[operator.operator] : undefined
    if (array === undefined || !PrimitiveValueListNode.is(rightOperand) || TupleNode.is(leftOperand))
      return super.visitBinaryOperation(node)
    this.visitNode(leftOperand)
    this.append(` ${array}(`)
    this.appendValue([...rightOperand.values])
    this.append(')')
  }

  protected override visitLimit(node: LimitNode): void {
    const { limit } = node
    if (!ValueNode.is(limit) || !Number.isSafeInteger(limit.value)) return super.visitLimit(node)
    this.append(`limit ${Number(limit.value)}`)
  }

  protected override visitOffset(node: OffsetNode): void {
    const { offset } = node
    if (ValueNode.is(offset) && offset.value === 0) this.append('offset 0')
    else super.visitOffset(node)
  }
}
