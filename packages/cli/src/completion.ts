// Writes a completion script for a shell from the command tree.
import { Argument, type Command } from 'commander';

type Node = { words: string[]; path: string };

const visible = (command: Command) => command.commands.filter((each) => each.name() !== 'help');

/** Every node of the tree with the words that can follow it. */
function nodesOf(program: Command): Node[] {
  const nodes: Node[] = [];
  const visit = (command: Command, path: string[]) => {
    const flags = command.options.flatMap(({ long }) => (long ? [long] : []));
    const words = [...visible(command).map((each) => each.name()), ...flags];
    nodes.push({ path: path.join(' '), words });
    for (const child of visible(command)) visit(child, [...path, child.name()]);
  };
  visit(program, []);
  return nodes;
}

const scripts: Record<string, (nodes: Node[]) => string> = {
  bash: (nodes) => `_parley() {
  local word path="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${COMP_WORDS[i]}" in -*) ;; *) path="\${path:+$path }\${COMP_WORDS[i]}" ;; esac
  done
  case "$path" in
${nodes
  .map(({ path, words }) => `    "${path}"*) word="${words.join(' ')}" ;;`)
  .reverse()
  .join('\n')}
  esac
  COMPREPLY=($(compgen -W "$word" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _parley parley
`,
  zsh: (nodes) => `autoload -U +X bashcompinit && bashcompinit\n${scripts.bash!(nodes)}`,
  fish: (nodes) =>
    `complete -c parley -f
${nodes
  .flatMap(({ path, words }) =>
    words.map((word) => {
      const parts = path === '' ? [] : path.split(' ');
      const when =
        parts.length === 0
          ? '__fish_use_subcommand'
          : parts.map((part) => `__fish_seen_subcommand_from ${part}`).join('; and ');
      return `complete -c parley -n '${when}' ${word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`}`;
    }),
  )
  .join('\n')}
`,
};

export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('Print a completion script, such as for: source <(parley completion bash)')
    .addArgument(new Argument('<shell>').choices(Object.keys(scripts)))
    .action((shell: string) => void process.stdout.write(scripts[shell]!(nodesOf(program))));
}
