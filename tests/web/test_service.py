"""The service over a real socket: answers are the library's own, mistakes are sentences."""

import json
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection

import numpy as np
import pytest

from regard.learn import TOPICS, lesson_on
from regard.predictor import Change
from regard.text import Pair
from regard.web import WebSettings
from tests.web.served import SHOWN, Client, predictor, serving

LETTERS = "abcdefgh"
RUN = "from regard.cli import run; run()"


@pytest.fixture(scope="module")
def client():
    models = {
        "first": predictor(),
        "transformer": predictor("transformer"),
        "last state": predictor("none"),
        "tagged": predictor(tags=True),
    }
    with serving(models) as found:
        found.models = models
        yield found


class TestAnswersAreTheLibrarysOwn:
    @pytest.mark.parametrize("name", ["first", "transformer", "last state"])
    def test_predictions(self, client, name):
        sources = ["abc", "hgfe", "a"]
        asked = {"sources": sources, "model": name, "beam_size": 3, "n_best": 2, "alignments": True}
        found = client.ask("/predict", asked).body["predictions"]
        expected = client.models[name].predict(sources, beam_size=3, n_best=2)
        for answer, prediction in zip(found, expected, strict=True):
            assert answer["target"] == prediction.text
            assert answer["log_prob"] == pytest.approx(prediction.log_prob, abs=1e-5)
            assert [one["target"] for one in answer["candidates"]] == [
                one.text for one in prediction.candidates
            ]
            if name != "last state":
                weights = answer["candidates"][0]["alignment"]["weights"]
                assert np.allclose(weights, prediction.alignment.weights, atol=1e-5)

    def test_tags(self, client):
        asked = {"sources": [{"source": "abc", "tags": "V;X"}], "model": "tagged"}
        found = client.ask("/predict", asked).body["predictions"][0]
        assert found["target"] == client.models["tagged"].predict("abc", tags="V;X").text

    def test_alignments_and_scores(self, client):
        pairs = [("abc", "cba"), ("a", "bb")]
        asked = {"pairs": [{"source": source, "target": target} for source, target in pairs]}
        model = client.models["first"]
        alignments = client.ask("/align", asked).body["alignments"]
        for answer, expected in zip(alignments, model.align(pairs), strict=True):
            assert np.allclose(answer["weights"], expected.weights, atol=1e-5)
            assert answer["pharaoh"] == expected.pharaoh()
        scores = client.ask("/score", asked).body["log_probs"]
        assert scores == pytest.approx(model.log_prob(pairs), abs=1e-5)

    def test_inspection_of_what_the_model_writes(self, client):
        model = client.models["first"]
        found = client.ask("/inspect", {"source": "abcd"}).body
        assert found["target"] == model.predict("abcd").text
        assert found["inspection"]["verdict"] == model.inspect([Pair("abcd", "")]).verdict

    def test_inspection_of_one_string(self, client):
        found = client.ask("/inspect", {"source": "abcd", "target": "dcba"}).body
        expected = client.models["first"].inspect([("abcd", "dcba")], is_forced=True)
        assert found["inspection"]["verdict"] == expected.verdict
        assert found["alignment"]["labels"] == list(expected.cases[0].alignment.row_labels())
        assert found["svg"].startswith("<svg")
        assert found["flags"] == [flag.text for flag in expected.cases[0].flags]

    @pytest.mark.parametrize("name", ["first", "transformer"])
    def test_a_step_and_what_changed_weights_would_write(self, client, name):
        asked = {"source": "abcd", "target": "dcba", "step": 2, "model": name}
        model, pair = client.models[name], Pair("abcd", "dcba")
        found = client.ask("/step", asked | {"erased": [1], "moved": {"2": 0.5}}).body
        before = model.look_up(pair, 2)
        after = model.look_up(pair, 2, Change((1,), {2: 0.5}))
        assert np.allclose(found["weights"], before.weights, atol=1e-5)
        assert np.allclose(found["changed_weights"], after.weights, atol=1e-5)
        assert found["changed_weights"][1] == 0
        assert found["changed_weights"][2] == pytest.approx(0.5, abs=1e-5)
        assert np.allclose(found["scores"], before.scores, atol=1e-4)
        assert any(one["before"] != pytest.approx(one["after"]) for one in found["symbols"])
        plain = client.ask("/step", asked).body
        assert plain["changed_weights"] == plain["weights"]

    def test_lessons(self, client):
        assert list(client.ask("/lessons").body) == list(TOPICS)
        found = client.ask("/lessons/softmax").body
        assert found["numbers"] == lesson_on("softmax").to_table()

    def test_a_lesson_is_computed_once_however_many_ask(self, monkeypatch):
        made = []

        def counted(topic):
            made.append(topic)
            time.sleep(0.3)
            return lesson_on("softmax")

        monkeypatch.setattr("regard.web.app.lesson_on", counted)
        with serving({}) as found, ThreadPoolExecutor(8) as pool:
            asked = [pool.submit(found.ask, "/lessons/mistakes") for _ in range(8)]
            assert {one.result().status for one in asked} == {200}
        assert made == ["mistakes"]

    def test_a_look(self, client):
        found = client.ask("/look", {"query": [[1, 0]], "keys": [[1, 0], [0, 1]]}).body
        assert np.allclose(found["weights"], [[0.7310586, 0.2689414]])

    def test_health_and_models(self, client):
        assert client.ask("/health").body["status"] == "ok"
        found = {one["name"]: one for one in client.ask("/models").body}
        assert found["tagged"]["has_tags"]
        assert not found["last state"]["looks_back"]

    def test_the_service_describes_itself_and_needs_no_other_server(self, client):
        paths = client.ask("/openapi.json").body["paths"]
        assert {"/predict", "/align", "/score", "/inspect", "/health", "/models"} <= set(paths)
        for page in ("/", "/docs", "/page/page.js", "/page/look.js", "/page/style.css"):
            text = client.ask(page).body.decode()
            assert "http://" not in text.replace("http://www.w3.org/", "")
            assert "https://" not in text


class TestMistakesAreSentences:
    @pytest.mark.parametrize(
        ("path", "body", "status", "said"),
        [
            ("/predict", {"sources": ["abc"], "model": "no"}, 404, "no model 'no'"),
            ("/predict", {"sources": []}, 422, "expected 1 to 8 strings, found 0"),
            ("/predict", {"sources": ["a"] * 9}, 422, "expected 1 to 8 strings, found 9"),
            ("/predict", {"sources": ["a" * 41]}, 422, "a string of 41 characters"),
            ("/predict", {"sources": ["a"], "beam_size": 99}, 422, "a beam of 99"),
            ("/predict", {"sources": ["a"], "beam_size": 0}, 422, "beam_size"),
            ("/predict", {"sources": [""]}, 422, "expected a source, found an empty string"),
            ("/predict", {"sources": ["\ud800"]}, 422, "half of a surrogate pair"),
            ("/predict", {"sources": ["a"], "beem": 1}, 422, "beem: extra inputs"),
            ("/predict", {"source": "a"}, 422, "sources: field required"),
            ("/align", {"pairs": [{"source": "a", "target": "b"}], "model": "last state"}, 422,
             "never looks back"),
            ("/predict", {"sources": ["abc"], "model": "tagged"}, 422, "tags"),
            ("/step", {"source": "a", "target": "b", "step": 9}, 422, "step 9: expected 1 to 2"),
            ("/step", {"source": "a", "target": "b", "step": 1, "erased": [7]}, 422,
             "no source position 7"),
            ("/look", {"query": [[1]], "keys": [[1, 2]]}, 422, "query has 1 numbers"),
            ("/look", {"query": [["x"]], "keys": [[1]]}, 422, "query"),
            ("/lessons/none", None, 404, "no topic 'none'"),
            ("/nowhere", None, 404, "no such address"),
        ],
    )  # fmt: skip
    def test_in_a_request(self, client, path, body, status, said):
        answer = client.ask(path, body)
        assert answer.status == status
        assert said in answer.body["error"]

    @pytest.mark.parametrize("raw", [b"abc", b'{"sources": ["\xff"]}', b"", b"[", b"\x00" * 50])
    def test_in_its_bytes(self, client, raw):
        answer = client.ask("/predict", raw=raw)
        assert answer.status == 422 or (answer.status == 400 and "JSON" in answer.body["error"])

    @pytest.mark.parametrize("raw", [b"abc", b"[", b'{"sources": [}'])
    def test_a_body_that_is_no_json_is_called_so(self, client, raw):
        assert client.ask("/predict", raw=raw).body == {"error": "the body is no JSON."}

    def test_numbers_that_are_none(self, client):
        answer = client.ask("/look", raw=b'{"query": [[NaN]], "keys": [[1]]}')
        assert answer.status in (400, 422)

    def test_a_large_body_is_not_read(self, client):
        answer = client.ask("/predict", raw=b'{"sources": ["' + b"a" * 100_000 + b'"]}')
        assert (answer.status, "too large" in answer.body["error"]) == (413, True)

    def test_a_hundred_megabytes_are_refused_before_they_are_sent(self, client):
        with socket.create_connection(("127.0.0.1", client.port), timeout=20) as connection:
            connection.sendall(
                b"POST /predict HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
                b"content-length: 104857600\r\n\r\n"
            )
            assert b"413" in connection.recv(100)

    def test_a_length_of_thousands_of_digits_is_refused(self, client):
        with socket.create_connection(("127.0.0.1", client.port), timeout=20) as connection:
            connection.sendall(
                b"POST /predict HTTP/1.1\r\nhost: x\r\ncontent-length: " + b"9" * 5000 + b"\r\n\r\n"
            )
            assert connection.recv(100).split()[1] in (b"400", b"413")

    def test_a_large_body_of_unknown_length_is_cut_off(self, client):
        connection = HTTPConnection("127.0.0.1", client.port, timeout=20)
        chunks = (b"a" * 1000 for _ in range(100))
        try:
            connection.request(
                "POST",
                "/predict",
                chunks,
                {"content-type": "application/json"},
                encode_chunked=True,
            )
            assert connection.getresponse().status == 413
        except (BrokenPipeError, ConnectionResetError):
            pass  # it was cut off while we wrote
        connection.close()
        assert client.ask("/health").status == 200

    def test_a_page_of_somebody_else_is_turned_away(self, client):
        for mode, status in (("no-cors", 403), ("cors", 403), ("navigate", 200)):
            connection = HTTPConnection("127.0.0.1", client.port, timeout=20)
            connection.request(
                "GET", "/", headers={"sec-fetch-site": "cross-site", "sec-fetch-mode": mode}
            )
            assert connection.getresponse().status == status
            connection.close()

    def test_another_host_is_turned_away(self):
        with serving({}, hosts=("127.0.0.1",)) as found:
            assert found.ask("/health").status == 200
            connection = HTTPConnection("127.0.0.1", found.port, timeout=20)
            connection.request("GET", "/health", headers={"host": "evil.example"})
            assert connection.getresponse().status == 421
            connection.close()


def test_every_answer_forbids_foreign_scripts_and_frames(client):
    for path in ("/", "/health", "/nowhere", "/page/page.js"):
        headers = client.ask(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"


class TestManyAtOnce:
    def test_two_hundred_clients_get_what_they_would_get_alone(self, client):
        sources = ["".join(LETTERS[(n * k) % 8] for k in range(1, 3 + n % 9)) for n in range(200)]
        expected = [one.text for one in client.models["first"].predict(sources)]

        def one(source):
            return client.ask("/predict", {"sources": [source]})

        with ThreadPoolExecutor(200) as pool:
            answers = list(pool.map(one, sources))
        assert [answer.status for answer in answers] == [200] * 200
        assert [answer.body["predictions"][0]["target"] for answer in answers] == expected

    def test_one_that_fails_spoils_nobody_elses(self, client, monkeypatch):
        model = client.models["first"]
        whole = model.stream

        def failing(sources, **options):
            if any(pair.source == "hhh" for pair in sources):
                raise RuntimeError("planted")
            return whole(sources, **options)

        monkeypatch.setattr(model, "stream", failing)
        with ThreadPoolExecutor(20) as pool:
            answers = list(
                pool.map(
                    lambda source: client.ask("/predict", {"sources": [source]}).status,
                    ["hhh" if n == 7 else "abc" for n in range(20)],
                )
            )
        assert [status for n, status in enumerate(answers) if n != 7] == [200] * 19
        assert answers[7] == 500

    @pytest.mark.parametrize("error", [StopIteration(), SystemExit(1), KeyboardInterrupt()])
    def test_no_error_whatever_stops_the_desk(self, error, monkeypatch):
        model = predictor()

        def failing(*_):
            raise error

        with serving({"first": model}) as found:
            with monkeypatch.context() as patched:
                patched.setattr(model, "look_up", failing)
                asked = {"source": "abc", "target": "cba", "step": 1}
                answer = found.ask("/step", asked)
                assert (answer.status, "made a mistake" in answer.body["error"]) == (500, True)
            assert found.ask("/step", asked).status == 200

    def test_what_is_given_up_leaves_the_line(self, monkeypatch):
        model, go_on = predictor(), threading.Event()
        whole = model.stream
        monkeypatch.setattr(
            model, "stream", lambda *given, **options: (go_on.wait(30), whole(*given, **options))[1]
        )
        settings = SHOWN.with_values({"deadline": 0.5})
        with serving({"slow": model}, settings) as found, ThreadPoolExecutor(6) as pool:
            asked = [
                pool.submit(found.ask, "/predict", {"sources": ["abc"], "beam_size": size})
                for size in range(1, 7)
            ]
            assert {one.result().status for one in asked} == {504}
            assert found.ask("/health").body["waiting"] == 0
            go_on.set()

    def test_a_large_request_lets_others_between_its_slices(self, monkeypatch):
        model, sizes = predictor(), []
        whole = model.stream

        def counted(sources, **options):
            sizes.append(len(sources))
            return whole(sources, **options)

        monkeypatch.setattr(model, "stream", counted)
        settings = SHOWN.with_values({"gathered": 6})
        with serving({"first": model}, settings) as found:
            asked = {"sources": ["abcd"] * 8, "beam_size": 2}
            assert len(found.ask("/predict", asked).body["predictions"]) == 8
        assert sizes == [3, 3, 2]

    def test_more_weights_than_an_answer_may_hold_are_refused(self):
        with serving({"first": predictor()}, SHOWN.with_values({"cells": 100})) as found:
            answer = found.ask("/predict", {"sources": ["abcdefgh"], "alignments": True})
            assert answer.status == 422
            assert "expected 100 at most" in answer.body["error"]
            pairs = [{"source": "abcdefgh", "target": "hgfedcba"}] * 2
            assert found.ask("/align", {"pairs": pairs}).status == 422
            assert found.ask("/align", {"pairs": pairs[:1]}).status == 200

    def test_who_hangs_up_leaves_the_server_well(self, client):
        for _ in range(20):
            connection = socket.create_connection(("127.0.0.1", client.port), timeout=20)
            body = json.dumps({"sources": ["abcdefgh"], "beam_size": 20}).encode()
            connection.sendall(
                b"POST /predict HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
                b"content-length: %d\r\n\r\n" % len(body) + body
            )
            connection.close()
        assert client.ask("/predict", {"sources": ["abc"]}).status == 200

    def test_too_many_are_turned_away_and_a_late_one_is_told(self, monkeypatch):
        model, go_on = predictor(), threading.Event()
        whole = model.stream

        def waiting(sources, **options):
            go_on.wait(30)
            return whole(sources, **options)

        monkeypatch.setattr(model, "stream", waiting)
        settings = SHOWN.with_values({"waiting": 2, "deadline": 1.0})
        with serving({"slow": model}, settings) as found, ThreadPoolExecutor(12) as pool:
            # Different beams cannot share a batch, so they line up.
            asked = [
                pool.submit(found.ask, "/predict", {"sources": ["abc"], "beam_size": size})
                for size in range(1, 9)
            ]
            answers = [one.result() for one in asked]
            go_on.set()
            statuses = {answer.status for answer in answers}
            assert statuses == {503, 504}
            busy = next(answer for answer in answers if answer.status == 503)
            assert "2 requests wait already" in busy.body["error"]
            assert busy.headers["retry-after"] == "1"
            late = next(answer for answer in answers if answer.status == 504)
            assert "no answer within 1 seconds" in late.body["error"]


@pytest.mark.slow
def test_a_termination_signal_lets_what_was_begun_finish(tmp_path):
    predictor().save(tmp_path / "model")
    command = [sys.executable, "-c", RUN, "serve", str(tmp_path / "model"), "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        said = server.stderr.readline()
        client = Client(int(said.split("http://127.0.0.1:")[1].split()[0]))
        _wait_for(client)
        with ThreadPoolExecutor(8) as pool:
            asked = [
                pool.submit(client.ask, "/predict", {"sources": [LETTERS] * 40, "beam_size": 5})
                for _ in range(8)
            ]
            time.sleep(0.3)
            server.send_signal(signal.SIGTERM)
            assert [one.result()[:2] for one in asked if one.result().status != 200] == []
        assert server.wait(30) in (0, -signal.SIGTERM, 128 + signal.SIGTERM)


def _wait_for(client: Client) -> None:
    for _ in range(1200):
        try:
            client.ask("/health")
        except ConnectionRefusedError:
            time.sleep(0.05)
        else:
            return


def test_settings_of_a_server_are_strict():
    with pytest.raises(ValueError, match="longst"):
        WebSettings().changed("longst=3")
