# SPDX-License-Identifier: Apache-2.0
"""Writes the manual pages: one for each verb, from the program's own help, and those of the pages for users.

    manual.py VERSION DATE CONFIGURATION DIR

CONFIGURATION is the file that `imulog install` writes; its comments explain each setting. The help texts are those in
Tests/CommandTests/Help, which a test compares with the program's, byte by byte.
"""

import re
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
HELP = PROJECT / "Tests" / "CommandTests" / "Help"
PAGES = PROJECT / "Sources" / "imulog" / "imulog.docc"
# Pages for users, by the name of their manual page.
TOPICS = {"imulog-commands": "Commands", "imulog-service": "Service", "imulog-ssh": "OverSSH",
          "imulog-times": "UsingTheTimes", "imulog-accuracy": "Accuracy",
          "imulog-certificate": "Certificate", "imulog-json": "JSON",
          "imulog-viewing": "Viewing", "imulog-programs": "OtherPrograms"}
# Where the package has documents that pages name.
DOCUMENTS = {"Wiring.md": "/usr/share/doc/imulog/Wiring.md.gz"}


def roff(text):
    """Text with what roff would take for its own escaped."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^(?=[.'])", r"\\&", text, flags=re.MULTILINE)


def tidy(lines):
    """The lines without empty ones, and without paragraphs that are empty."""
    lines, out = [line for line in lines if line], []
    for line, following in zip(lines, lines[1:] + [".SH"]):
        if line == ".PP" and (following.startswith((".SH", ".SS", ".PP", ".TP", ".IP"))
                              or out[-1].startswith((".SH", ".SS"))):
            continue
        out.append(line)
    return out


def head(name, section, version, date, title):
    return [f'.TH {name.upper()} {section} "{date}" "imulog {version}" "{title}"', ".nh", ".ad l"]


def sections(text):
    """The help's parts, by their headings in capitals."""
    parts, heading = {}, None
    for line in text.splitlines():
        found = re.match(r"([A-Z]+):(?: (.*))?$", line)
        if found and (found[1] in ("OVERVIEW", "USAGE", "ARGUMENTS", "OPTIONS", "SUBCOMMANDS")):
            heading = found[1]
            parts[heading] = [found[2]] if found[2] else []
        elif heading:
            parts[heading].append(line)
    return parts


def entries(lines):
    """Pairs of an option or argument and its explanation."""
    found = []
    for line in lines:
        entry = re.match(r"  (\S.*?)(?:  +(\S.*))?$", line)
        if entry and not line.startswith("   "):
            found.append((entry[1], [entry[2]] if entry[2] else []))
        elif line.strip() and found:
            found[-1][1].append(line.strip())
    return [(name, " ".join(words)) for name, words in found]


def overview(lines):
    """Paragraphs and examples."""
    out, isExample = [], False
    for line in lines:
        if re.match(r"Examples?:$", line):
            out += [".SH EXAMPLES", ".nf"]
            isExample = True
        elif isExample:
            out.append(roff(line[2:] if line.startswith("  ") else line))
        else:
            out.append(roff(line) if line else ".PP")
    return out + ([".fi"] if isExample else [])


def verb(name, version, date):
    """The page of a verb; "imulog" is the program's own."""
    parts = sections((HELP / f"{name}.txt").read_text("utf-8"))
    # A subcommand's too: imulog-hub-add.
    page = "imulog" if name == "imulog" else "imulog-" + name.replace(" ", "-")
    lines = parts["OVERVIEW"]
    end = lines.index("") if "" in lines else len(lines)
    abstract, rest = " ".join(lines[:end]), lines[end + 1:]
    usage = " ".join(" ".join(parts["USAGE"]).split())
    out = head(page, 1, version, date, "imulog")
    out += [".SH NAME", f"{roff(page)} \\- {roff(abstract[0].lower() + abstract[1:].rstrip('.'))}",
            ".SH SYNOPSIS", f".B {roff(usage)}"]
    text = overview(rest)
    examples = text.index(".SH EXAMPLES") if ".SH EXAMPLES" in text else len(text)
    if text[:examples]:
        out += [".SH DESCRIPTION"] + text[:examples]
    for heading in ("ARGUMENTS", "OPTIONS", "SUBCOMMANDS"):
        if heading in parts:
            out.append(f".SH {heading}")
            for name_, words in entries(parts[heading]):
                if heading == "SUBCOMMANDS":
                    if name_.startswith("See "):
                        continue
                    # The default subcommand is marked as such.
                    name_ = f"{page}-{name_.split()[0]}(1)"
                out += [".TP", f".B {roff(name_)}", roff(words)]
    out += text[examples:]
    if name == "imulog":
        out += program()
    others = [f"{name}(7)" for name in TOPICS] + ["imulog.conf(5)"]
    first = [] if name == "imulog" else ["imulog(1)"]
    out += [".SH SEE ALSO", ", ".join(roff(page) for page in first + others)]
    return page, 1, out


def program():
    """What holds for all verbs: from the page of the commands."""
    text = (PAGES / "Commands.md").read_text("utf-8")
    out = []
    for title in ("Exit status", "Files and environment"):
        part = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
        out += [f".SH {title.upper()}"] + markdown(part[1])
    return out


def inline(text):
    """Markdown within a line."""
    parts = re.split(r"(`[^`]*`|\*\*[^*]*\*\*|\*[^*]*\*)", text)
    out = []
    for part in parts:
        if part.startswith("`"):
            out.append("\\fB" + roff(DOCUMENTS.get(part[1:-1], part[1:-1])) + "\\fR")
        elif part.startswith("**"):
            out.append("\\fB" + roff(part[2:-2]) + "\\fR")
        elif part.startswith("*") and len(part) > 2:
            out.append("\\fI" + roff(part[1:-1]) + "\\fR")
        else:
            part = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", part)
            part = re.sub(r"<doc:([A-Za-z]+)(?:#([A-Za-z-]*))?>", page_name, part)
            out.append(roff(part.replace("\\|", "|")))
    return "".join(out)


def page_name(match):
    names = {title: name for name, title in TOPICS.items()}
    page = f"{names[match[1]]}(7)" if match[1] in names else match[1]
    return f'"{match[2].replace("-", " ")}" in {page}' if match[2] else page


def cells(line):
    return [cell.strip().replace("\0", "|") for cell in line.strip().strip("|").replace("\\|", "\0").split("|")]


def markdown(text):
    """Markdown as roff: headings, paragraphs, lists, tables, code."""
    out, lines, index = [], text.strip().splitlines(), 0
    while index < len(lines):
        line = lines[index]
        index += 1
        if line.startswith("```"):
            out += [".PP", ".nf", ".RS 4"]
            while index < len(lines) and not lines[index].startswith("```"):
                out.append(roff(lines[index]))
                index += 1
            index += 1
            out += [".RE", ".fi"]
        elif found := re.match(r"(##+) (.*)", line):
            out.append((".SH " if found[1] == "##" else ".SS ") + inline(found[2]))
        elif line.startswith("|"):
            rows = [cells(line)]
            while index < len(lines) and lines[index].startswith("|"):
                rows.append(cells(lines[index]))
                index += 1
            titles = rows[0]
            for row in rows[2:]:
                words = [f"{titles[n]}: {cell}" if n < len(titles) and len(titles) > 2 and titles[n] else cell
                         for n, cell in enumerate(row) if n > 0 and cell]
                out += [".TP", inline(row[0]) or "\\&", "; ".join(inline(word) for word in words)]
        elif found := re.match(r"(- |\d+\. )(.*)", line):
            item = [found[2]]
            while index < len(lines) and lines[index].startswith("  ") and lines[index].strip():
                item.append(lines[index].strip())
                index += 1
            out += ['.IP "\\(bu" 2', inline(" ".join(item))]
        elif not line:
            out.append(".PP")
        else:
            paragraph = [line]
            while index < len(lines) and lines[index] and not re.match(r"[|#`]|- |\d+\. ", lines[index]):
                paragraph.append(lines[index])
                index += 1
            out.append(inline(" ".join(paragraph)))
    return out


def topic(name, title, version, date):
    """A page for users: its first line is the title, its first paragraph the abstract."""
    text = (PAGES / f"{title}.md").read_text("utf-8")
    _, abstract, rest = re.match(r"# (.*?)\n\n(.*?)\n\n(.*)", text, re.DOTALL).groups()
    abstract = " ".join(abstract.split())
    out = head(name, 7, version, date, "imulog")
    out += [".SH NAME", f"{roff(name)} \\- {inline(abstract[0].lower() + abstract[1:].rstrip('.'))}"]
    if not rest.lstrip().startswith("## "):
        out.append(".SH DESCRIPTION")
    return name, 7, out + markdown(rest)


def configuration(path, version, date):
    """imulog.conf(5): each comment of the file, and the keys that it explains with their defaults."""
    out = head("imulog.conf", 5, version, date, "imulog")
    out += [".SH NAME", "imulog.conf \\- configuration of the imulog service", ".SH SYNOPSIS",
            ".B /etc/imulog/imulog.conf", ".SH DESCRIPTION"]
    words, keys, isIntroduction = [], [], True
    for line in path.read_text("utf-8").splitlines() + ["", "#"]:
        if "=" in line and not line.startswith("#"):
            keys.append(line.strip())
            continue
        # A comment explains the keys after it, up to the next one.
        if keys:
            out += [".TP", f".B {roff(keys[0])}"] + [part for key in keys[1:] for part in (".TQ", f".B {roff(key)}")]
            out.append(roff(" ".join(words)) or "\\&")
            words, keys = [], []
        if line.startswith("#"):
            words.append(line[1:].strip())
        elif isIntroduction and words:
            out += [roff(" ".join(words)), ".SH SETTINGS"]
            words, isIntroduction = [], False
    out += [".SH SEE ALSO", "imulog(1), imulog\\-daemon(1), imulog\\-service(7)"]
    return "imulog.conf", 5, out


def main():
    version, date, path, folder = sys.argv[1:]
    made = [verb(file.stem, version, date) for file in sorted(HELP.glob("*.txt"))]
    made += [topic(name, title, version, date) for name, title in TOPICS.items()]
    made.append(configuration(Path(path), version, date))
    for name, section, lines in made:
        target = Path(folder) / f"man{section}" / f"{name}.{section}"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("\n".join(tidy(lines)) + "\n", "utf-8")


main()
