"""A delivery is signed so that a receiver's own library can check it."""

import pytest

from service.webhooks.endpoint import signed_headers, signing_key


def test_a_signature_is_that_of_the_conventions_own_example():
    headers = signed_headers(
        b'{"test": 2432232314}',
        delivery_id="msg_p5jXN8AQM9LWM0D4loKWxJek",
        at=1614265330,
        secret="whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    )

    assert headers["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


@pytest.mark.parametrize("secret", ["", "whsec_", "whsec_????", "whsec_YWJj", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"])
def test_what_is_not_a_secret_is_refused(secret):
    with pytest.raises(ValueError, match="whsec_"):
        signing_key(secret)
