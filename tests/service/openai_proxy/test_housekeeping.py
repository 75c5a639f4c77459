"""What a front end asks on its own is told from what a person says."""

import pytest

from service.openai_proxy.housekeeping import is_housekeeping

HISTORY = "<chat_history>\nUSER: My mother Odile lives in Lyon.\nASSISTANT: How nice.\n</chat_history>"
TITLE = "### Task:\nGenerate a concise, 3-5 word title with an emoji summarizing the chat history.\n### Chat History:\n"
TAGS = "### Task:\nGenerate 1-3 broad tags categorizing the main themes of the chat history.\n\n### Chat History:\n"
COMPLETING = "### Task:\nYou are an autocompletion system. Continue the text in `<text>`.\n---\n### Context:\n"
DOCUMENTS = (
    "### Task:\nRespond to the user query using the provided context.\n<context>\n{}\n</context>\nWhere is Odile?"
)
LIBRECHAT = (
    "Provide a concise, 5-word-or-less title for the conversation, using title case conventions. "
    "Only return the title itself.\n\nConversation:\nUser: My mother lives in Lyon.\nAI: How nice."
)
LIBRECHAT_STRUCTURED = (
    "Analyze this conversation and provide:\n1. The detected language of the conversation\n2. A concise title in the "
    "detected language (5 words or less, no punctuation or quotation)\n\nUser: My mother lives in Lyon."
)
LIBRECHAT_ASSISTANTS = (
    "Please generate a concise title (max 40 characters) for a conversation that starts with:\n"
    f"User: {'My mother lives in Lyon. ' * 60}\nAssistant: How nice.\n\nTitle:"
)
NEXTCHAT = (
    "Please generate a four to five word title summarizing our conversation without any lead-in, punctuation, "
    "quotation marks, periods, symbols, bold text, or additional text. Remove enclosing quotation marks."
)
LOBECHAT = "You are a professional conversation summarizer. Generate a concise title that captures the essence of it."


def user(*texts):
    return [{"role": ("user", "assistant")[at % 2], "content": text} for at, text in enumerate(texts)]


@pytest.mark.parametrize(
    "prompt",
    [
        TITLE + HISTORY,
        f"  {TAGS}{HISTORY}\n",
        f"{COMPLETING}{HISTORY}\n<type>General</type>\n<text>And where </text>\n#### Output:\n",
        "Create a concise, 3-5 word title with an emoji as a title for the chat history.\n" + HISTORY,
        LIBRECHAT,
        LIBRECHAT_STRUCTURED,
        LIBRECHAT_ASSISTANTS,
        "Generate a concise title for this conversation, in 5 words or less. No punctuation.",
        NEXTCHAT,
    ],
)
def test_a_prompt_for_a_title_tags_or_a_completion_is_the_front_end_s(prompt):
    assert is_housekeeping(user(prompt), patterns=())
    assert is_housekeeping(user("My mother lives in Lyon.", "How nice.", prompt), patterns=())
    assert is_housekeeping([{"role": "user", "content": [{"type": "text", "text": prompt}]}], patterns=())


def test_instructions_over_one_message_that_holds_the_conversation_are_the_front_end_s():
    conversation = "user: My mother lives in Lyon.\nassistant: How nice."

    assert is_housekeeping([{"role": "system", "content": LOBECHAT}, *user(conversation)], patterns=())
    assert not is_housekeeping([{"role": "system", "content": LOBECHAT}, *user("a", "b", "c")], patterns=())


@pytest.mark.parametrize(
    "said",
    [
        "I need a concise title for the conversation with my mother, in five words, no punctuation.",
        "My task: generate tags for the chat history of my club.",
        "Generate a concise title for this conversation about my mother in Lyon.",
        "Create a short title for my chat application in 5 words, no punctuation. I moved to Lyon, by the way.",
        "### Task:\nBuy milk for my mother in Lyon.",
        DOCUMENTS.format("Odile lives in Lyon."),
        DOCUMENTS.format(HISTORY),
        f"Why does my bot get this?\n\n{TITLE}{HISTORY}",
        f"{TITLE}{HISTORY}\n\nThat is what my bot gets. Why?",
        "",
    ],
)
def test_a_person_who_speaks_of_titles_and_tasks_is_heard(said):
    assert not is_housekeeping(user(said), patterns=())


def test_an_operator_s_pattern_is_for_the_whole_message():
    assert is_housekeeping(user("name this chat:\n\nuser: My mother lives in Lyon."), patterns=("Name this chat:.*",))
    assert not is_housekeeping(user("Please name this chat: Lyon"), patterns=("Name this chat:.*",))


def test_what_follows_a_tool_is_not_asked_by_the_front_end():
    messages = [*user(TITLE + HISTORY), {"role": "tool", "tool_call_id": "c1", "content": "seen"}]

    assert not is_housekeeping(messages, patterns=())


def test_a_long_message_is_read_in_a_moment():
    assert not is_housekeeping(user("### Task:\n" + "<chat_history>" * 100_000), patterns=())
    assert not is_housekeeping(user("Please generate a concise " + "very, " * 100_000), patterns=())
